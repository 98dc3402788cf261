package io.icewal.trino;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Values that Trino gives, as text.
final class Text {
  private Text() {}

  static String of(Object value) {
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Text::of).toList().toString();
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, String> sorted = new TreeMap<>();
      map.forEach((key, item) -> sorted.put(of(key), of(item)));
      return sorted.toString();
    }
    return String.valueOf(value);
  }
}
