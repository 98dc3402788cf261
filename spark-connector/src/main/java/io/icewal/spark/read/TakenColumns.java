package io.icewal.spark.read;

import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Whether rows that were written for one schema of a table can be read by a later one.
final class TakenColumns {
  private TakenColumns() {}

  /// @param written schema of the rows
  /// @param now schema of the table that is to take them
  static boolean fit(Schema written, Schema now) {
    if (!written.identifierFieldIds().equals(now.identifierFieldIds())) {
      return false;
    }
    Map<Integer, NestedField> before = TypeUtil.indexById(written.asStruct());
    return TypeUtil.indexById(now.asStruct()).values().stream()
        .allMatch(field -> fits(before.get(field.fieldId()), field));
  }

  private static boolean fits(@Nullable NestedField written, NestedField now) {
    if (written == null) {
      return now.isOptional() || now.initialDefault() != null;
    }
    if (now.isRequired() && written.isOptional()) {
      return false;
    }
    Type type = now.type();
    return type.isPrimitiveType()
        ? TypeUtil.isPromotionAllowed(written.type(), type.asPrimitiveType())
        : written.type().typeId() == type.typeId();
  }
}
