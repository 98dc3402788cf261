package io.icewal.read;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/// Arrow rows as text.
final class RowText {
  private RowText() {}

  static List<String> rows(VectorSchemaRoot root) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < root.getRowCount(); row++) {
      List<String> values = new ArrayList<>();
      for (FieldVector vector : root.getFieldVectors()) {
        values.add(text(vector.getObject(row)));
      }
      rows.add(String.join("|", values));
    }
    return rows;
  }

  private static String text(Object value) {
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, String> sorted = new TreeMap<>();
      map.forEach((key, item) -> sorted.put(key.toString(), text(item)));
      return sorted.toString();
    }
    if (value instanceof List<?> list) {
      return list.stream().map(RowText::text).toList().toString();
    }
    return String.valueOf(value);
  }
}
