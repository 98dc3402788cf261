package io.icewal.spark;

import io.icewal.sql.SqlText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import scala.jdk.javaapi.CollectionConverters;

/// Values that Spark gives, as text.
final class Text {
  private Text() {}

  static String of(Row row) {
    return SqlText.row(values(row));
  }

  private static List<Object> values(Row row) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      values.add(plain(row.get(i)));
    }
    return values;
  }

  /// With Java's lists and maps for rows and Scala's collections, at any depth.
  private static Object plain(Object value) {
    if (value instanceof Row row) {
      return values(row);
    }
    if (value instanceof scala.collection.Seq<?> list) {
      List<Object> plain = new ArrayList<>();
      CollectionConverters.asJava(list).forEach(item -> plain.add(plain(item)));
      return plain;
    }
    if (value instanceof scala.collection.Map<?, ?> map) {
      Map<Object, Object> plain = new LinkedHashMap<>();
      CollectionConverters.asJava(map).forEach((key, item) -> plain.put(plain(key), plain(item)));
      return plain;
    }
    return value;
  }
}
