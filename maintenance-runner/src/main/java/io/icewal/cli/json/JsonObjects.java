package io.icewal.cli.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// The fields of one JSON object, into one column each: a row, or a struct. Not thread-safe.
final class JsonObjects {
  private static final JsonFactory JSON = new JsonFactory();

  private final String path;
  private final JsonColumn[] columns;
  private final @Nullable String[] defaults;
  private final Map<String, Integer> byName = new HashMap<>();
  private final Set<String> ignored;
  private final long[] seenIn;
  private long objects;

  /// @param path the struct's dotted path with a dot at the end, or empty for rows
  /// @param ignored names that may be there and are stepped over
  /// @param keys field ids of the table's key
  JsonObjects(
      String path,
      List<NestedField> fields,
      List<? extends FieldVector> vectors,
      Set<String> ignored,
      Set<Integer> keys) {
    this.path = path;
    this.ignored = ignored;
    this.columns = new JsonColumn[fields.size()];
    this.defaults = new String[fields.size()];
    this.seenIn = new long[fields.size()];
    for (int i = 0; i < columns.length; i++) {
      NestedField field = fields.get(i);
      columns[i] = JsonColumns.column(path + field.name(), field, vectors.get(i), keys);
      byName.put(field.name(), i);
      if (field.writeDefault() != null) {
        defaults[i] = JsonColumns.defaultText(field);
      }
    }
    Arrays.fill(seenIn, -1);
  }

  /// Reads the object whose START_OBJECT is current into index `index` of every column.
  void read(JsonParser in, int index, RowFaults faults) throws IOException {
    objects++;
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String name = in.currentName();
      Integer column = byName.get(name);
      in.nextToken();
      if (column == null) {
        in.skipChildren();
        if (!ignored.contains(name)) {
          faults.add(path + name, "unknown-column", null, unknown(name));
        }
      } else if (seenIn[column] == objects) {
        in.skipChildren();
        faults.add(path + name, "duplicate-column", null, "the name stands twice in one object");
      } else {
        seenIn[column] = objects;
        columns[column].read(in, index, faults);
      }
    }
    for (int i = 0; i < columns.length; i++) {
      if (seenIn[i] != objects) {
        writeMissing(i, index, faults);
      }
    }
  }

  void writeNull(int index) {
    for (JsonColumn column : columns) {
      column.writeNull(index);
    }
  }

  private void writeMissing(int column, int index, RowFaults faults) throws IOException {
    String text = defaults[column];
    if (text == null) {
      columns[column].readNull(index, faults);
      return;
    }
    try (JsonParser in = JSON.createParser(text)) {
      in.nextToken();
      columns[column].read(in, index, faults);
    }
  }

  private String unknown(String name) {
    String nearest = NearestName.of(name, byName.keySet());
    return "the table has no such column"
        + (nearest == null ? "" : "; did you mean '" + path + nearest + "'?");
  }
}
