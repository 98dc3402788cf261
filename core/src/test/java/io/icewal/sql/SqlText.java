package io.icewal.sql;

import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Values of rows as text, the same for every engine: lists for structs and arrays, instants for
/// all that is one.
public final class SqlText {
  private SqlText() {}

  /// A row: its values, parted by bars.
  public static String row(List<?> values) {
    return values.stream().map(SqlText::of).collect(Collectors.joining("|"));
  }

  /// One value.
  public static String of(Object value) {
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(SqlText::of).toList().toString();
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, String> sorted = new TreeMap<>();
      map.forEach((key, item) -> sorted.put(of(key), of(item)));
      return sorted.toString();
    }
    if (value instanceof OffsetDateTime time) {
      return time.toInstant().toString();
    }
    if (value instanceof ZonedDateTime time) {
      return time.toInstant().toString();
    }
    return String.valueOf(value);
  }
}
