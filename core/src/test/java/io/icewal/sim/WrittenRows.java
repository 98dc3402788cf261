package io.icewal.sim;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// What was written in each row, by the row's token: the values by field id, and which columns its
/// writer knew of. From these follows what any later schema must show in the row.
final class WrittenRows {
  private final Map<Long, Row> rows = new HashMap<>();
  private final Map<Long, List<Map<String, @Nullable Object>>> sent = new HashMap<>();

  /// @param values plain values of the columns that were written, by field id
  /// @param lastColumnId the table's highest field id when the row was written
  private record Row(Map<Integer, @Nullable Object> values, int lastColumnId) {}

  /// A row is sent, by the columns' names; it may be sent again in another form of its table.
  void send(long token, Map<String, @Nullable Object> values) {
    sent.computeIfAbsent(token, t -> new ArrayList<>()).add(new HashMap<>(values));
  }

  /// A row that was sent is written.
  ///
  /// @param names of the table's columns by their ids, as whoever takes rows by name knew them: a
  ///   name may have become another column's since the row was sent
  void add(
      long token,
      Map<Integer, @Nullable Object> values,
      int lastColumnId,
      Map<Integer, String> names) {
    List<Map<String, @Nullable Object>> forms = sent.get(token);
    Map<String, @Nullable Object> named = new HashMap<>();
    values.forEach((id, value) -> named.put(names.get(id), value));
    if (forms != null && forms.stream().noneMatch(form -> isFrom(form, named))) {
      throw new AssertionError("row " + token + " was sent as " + forms + ", stored as " + named);
    }
    add(token, values, lastColumnId);
  }

  /// A row is written.
  void add(long token, Map<Integer, @Nullable Object> values, int lastColumnId) {
    rows.put(token, new Row(new HashMap<>(values), lastColumnId));
  }

  /// What was sent is there; what was not is nothing, or the column's write default, perhaps
  /// promoted.
  private static boolean isFrom(
      Map<String, @Nullable Object> form, Map<String, @Nullable Object> values) {
    return values.keySet().containsAll(form.keySet())
        && values.entrySet().stream()
            .allMatch(
                value ->
                    form.containsKey(value.getKey())
                        ? isSame(form.get(value.getKey()), value.getValue())
                        : value.getValue() == null
                            || isSame(SchemaChange.DEFAULT, value.getValue()));
  }

  /// The same value, perhaps promoted.
  private static boolean isSame(@Nullable Object sent, @Nullable Object stored) {
    if (sent instanceof Number number && stored instanceof Number other) {
      return number.doubleValue() == other.doubleValue();
    }
    if (sent instanceof Map<?, ?> struct && stored instanceof Map<?, ?> other) {
      // Arrow leaves null children out.
      return struct.entrySet().stream()
          .allMatch(child -> isSame(child.getValue(), other.get(child.getKey())));
    }
    return Objects.equals(sent, stored);
  }

  /// What a column must show in a row: what was written, promoted; the initial default of a column
  /// that is younger than the row; else nothing.
  @Nullable Object expected(long token, NestedField column) {
    Row row = rows.get(token);
    if (row == null) {
      throw new AssertionError("nobody wrote row " + token);
    }
    if (row.values.containsKey(column.fieldId())) {
      return promoted(column.type(), row.values.get(column.fieldId()));
    }
    Object initial = column.initialDefault();
    return column.fieldId() > row.lastColumnId && initial != null
        ? Values.plain(column.type(), initial)
        : null;
  }

  private static @Nullable Object promoted(Type type, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    return switch (type.typeId()) {
      case LONG -> ((Number) value).longValue();
      case DOUBLE -> ((Number) value).doubleValue();
      case STRUCT -> {
        Map<String, @Nullable Object> struct = new LinkedHashMap<>();
        for (NestedField field : type.asStructType().fields()) {
          struct.put(field.name(), promoted(field.type(), ((Map<?, ?>) value).get(field.name())));
        }
        yield struct;
      }
      default -> value;
    };
  }

  /// The plain form of what Arrow's IPC reader gave, without knowing the type.
  static @Nullable Object plain(@Nullable Object value) {
    if (value instanceof byte[] bytes) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      return new UUID(buffer.getLong(), buffer.getLong()).toString();
    }
    if (value instanceof List<?> elements) {
      List<@Nullable Object> list = new ArrayList<>();
      elements.forEach(element -> list.add(plain(element)));
      return list;
    }
    if (value instanceof Map<?, ?> children) {
      Map<String, @Nullable Object> struct = new LinkedHashMap<>();
      children.forEach((name, child) -> struct.put(name.toString(), plain(child)));
      return struct;
    }
    boolean isPlain =
        value == null
            || value instanceof Number
            || value instanceof Boolean
            || value instanceof BigDecimal;
    return isPlain ? value : value.toString();
  }

  /// The columns of the given schema that a writer writes, as its row says.
  static Map<Integer, @Nullable Object> values(
      TableShape shape, Types.StructType columns, int key, long token) {
    Map<Integer, @Nullable Object> keys = shape.keyed ? shape.key(key) : Map.of();
    Map<Integer, @Nullable Object> values = new HashMap<>();
    for (NestedField column : columns.fields()) {
      Object value =
          keys.containsKey(column.fieldId())
              ? promoted(column.type(), keys.get(column.fieldId()))
              : shape.value(column, token);
      values.put(column.fieldId(), value);
    }
    return values;
  }
}
