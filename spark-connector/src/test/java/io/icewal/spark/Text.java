package io.icewal.spark;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Row;
import scala.jdk.javaapi.CollectionConverters;

/// Values that Spark gives, as text.
final class Text {
  private Text() {}

  static String of(Row row) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      values.add(of(row.get(i)));
    }
    return String.join("|", values);
  }

  private static String of(Object value) {
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof Row row) {
      return "(" + of(row) + ")";
    }
    if (value instanceof scala.collection.Seq<?> list) {
      return CollectionConverters.asJava(list).stream().map(Text::of).toList().toString();
    }
    if (value instanceof scala.collection.Map<?, ?> map) {
      Map<String, String> sorted = new TreeMap<>();
      CollectionConverters.asJava(map).forEach((key, item) -> sorted.put(of(key), of(item)));
      return sorted.toString();
    }
    return String.valueOf(value);
  }
}
