package io.icewal.read;

import io.icewal.expression.Condition;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// The columns of a scan.
///
/// @param projection the columns of the result, in the wanted order
/// @param read what must be read for the result and the condition; begins with the columns of the
///   projection, whose structs may have more fields here
record ScanColumns(Schema projection, Schema read) {
  /// @param names null for all columns
  static ScanColumns of(
      Schema schema, @Nullable List<String> names, @Nullable Condition condition) {
    Set<Integer> wanted = names == null ? ids(schema.columns()) : find(schema, names);
    Set<Integer> all = new LinkedHashSet<>(wanted);
    if (condition != null) {
      all.addAll(condition.fieldIds());
    }
    return new ScanColumns(select(schema, wanted), select(schema, all));
  }

  /// The same with further fields to read.
  ScanColumns reading(Schema schema, Set<Integer> more) {
    Set<Integer> all = new LinkedHashSet<>(ids(projection.columns()));
    all.addAll(TypeUtil.getProjectedIds(read.asStruct()));
    all.addAll(more);
    return new ScanColumns(projection, select(schema, all));
  }

  /// Whether the columns of the projection are read as they are wanted, without further fields in
  /// their structs.
  boolean isPlain() {
    return projection.columns().stream()
        .allMatch(column -> column.type().equals(read.findType(column.fieldId())));
  }

  private static Set<Integer> ids(List<NestedField> fields) {
    Set<Integer> ids = new LinkedHashSet<>();
    fields.forEach(field -> ids.add(field.fieldId()));
    return ids;
  }

  private static Set<Integer> find(Schema schema, List<String> names) {
    Set<Integer> ids = new LinkedHashSet<>();
    for (String name : names) {
      NestedField field = schema.findField(name);
      if (field == null) {
        throw new IcewalException(
            ErrorKind.INVALID,
            "there is no column '" + name + "'; the columns are " + columnNames(schema));
      }
      ids.add(field.fieldId());
    }
    return ids;
  }

  private static String columnNames(Schema schema) {
    List<String> names = schema.columns().stream().map(NestedField::name).limit(50).toList();
    String more = schema.columns().size() > names.size() ? ", …" : "";
    return String.join(", ", names) + more;
  }

  /// The given fields, columns in the order in which their first field is named.
  private static Schema select(Schema schema, Set<Integer> ids) {
    Map<Integer, Integer> parents = TypeUtil.indexParents(schema.asStruct());
    Schema selected = TypeUtil.select(schema, new HashSet<>(ids));
    Set<Integer> columns = new LinkedHashSet<>();
    for (int id : ids) {
      int top = id;
      for (Integer parent = parents.get(top); parent != null; parent = parents.get(top)) {
        top = parent;
      }
      columns.add(top);
    }
    return new Schema(columns.stream().map(selected::findField).toList());
  }
}
