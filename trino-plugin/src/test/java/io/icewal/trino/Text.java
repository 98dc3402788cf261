package io.icewal.trino;

import io.icewal.sql.SqlText;
import io.trino.testing.MaterializedRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Values that Trino gives, as text.
final class Text {
  private Text() {}

  static String of(Object value) {
    return SqlText.of(plain(value));
  }

  /// With lists for rows, at any depth.
  private static Object plain(Object value) {
    return switch (value) {
      case MaterializedRow row -> plain(row.getFields());
      case List<?> list -> {
        List<Object> plain = new ArrayList<>();
        list.forEach(item -> plain.add(plain(item)));
        yield plain;
      }
      case Map<?, ?> map -> {
        Map<Object, Object> plain = new LinkedHashMap<>();
        map.forEach((key, item) -> plain.put(plain(key), plain(item)));
        yield plain;
      }
      case null, default -> value;
    };
  }
}
