package io.icewal.spark.read;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.SparkReadOptions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// The columns of a table that have a value for rows which are older than the column.
///
/// iceberg-spark 1.11 takes a column that a Parquet file does not have for null when it chooses row
/// groups, whatever the column's default says, so that a filter on it loses rows. And it fails to
/// read a decimal with a default as vectors.
final class DefaultedColumns {
  private final Set<String> names = new HashSet<>();
  private final boolean decimal;

  DefaultedColumns(Schema schema) {
    boolean someDecimal = false;
    for (NestedField column : schema.columns()) {
      boolean nested =
          TypeUtil.indexById(new Schema(column).asStruct()).values().stream()
              .anyMatch(field -> field.initialDefault() != null);
      if (nested) {
        names.add(column.name());
        someDecimal |= column.type().typeId() == Type.TypeID.DECIMAL;
      }
    }
    this.decimal = someDecimal;
  }

  boolean isEmpty() {
    return names.isEmpty();
  }

  /// Whether a predicate is about one of them, or of a field within.
  boolean isIn(Predicate predicate) {
    return Arrays.stream(predicate.references())
        .anyMatch(reference -> names.contains(reference.fieldNames()[0]));
  }

  /// Options with which all of the columns can be read.
  CaseInsensitiveStringMap readable(CaseInsensitiveStringMap options) {
    if (!decimal) {
      return options;
    }
    Map<String, String> changed = new HashMap<>(options.asCaseSensitiveMap());
    changed.put(SparkReadOptions.VECTORIZATION_ENABLED, "false");
    return new CaseInsensitiveStringMap(changed);
  }
}
