package io.icewal.spark.session;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.VariantType;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/// Values as the `icewal` command prints them, from what Spark hands out with Java's own types of
/// time. Pure.
final class ValueText {
  /// How a value stands in JSON: as it is, in quotes, or as JSON of its own.
  enum Kind {
    BARE,
    QUOTED,
    NESTED
  }

  private static final JsonFactory JSON = new JsonFactory();
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS", Locale.ROOT);
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS", Locale.ROOT);

  private ValueText() {}

  static Kind kind(DataType type) {
    if (type instanceof NumericType || type instanceof BooleanType) {
      return Kind.BARE;
    }
    boolean nested =
        type instanceof StructType
            || type instanceof ArrayType
            || type instanceof MapType
            || type instanceof VariantType;
    return nested ? Kind.NESTED : Kind.QUOTED;
  }

  static String of(Object value, DataType type) throws IOException {
    if (kind(type) != Kind.NESTED) {
      return plain(value);
    }
    StringWriter text = new StringWriter();
    try (JsonGenerator out = JSON.createGenerator(text)) {
      write(out, value, type);
    }
    return text.toString();
  }

  private static String plain(Object value) {
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    if (value instanceof Instant instant) {
      return MICROS.format(instant.atOffset(ZoneOffset.UTC)) + "Z";
    }
    if (value instanceof LocalDateTime time) {
      return MICROS.format(time);
    }
    if (value instanceof LocalTime time) {
      return TIME.format(time);
    }
    if (value instanceof byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }
    return value.toString();
  }

  private static void write(JsonGenerator out, @Nullable Object value, DataType type)
      throws IOException {
    if (value == null) {
      out.writeNull();
    } else if (type instanceof StructType struct) {
      writeStruct(out, (Row) value, struct);
    } else if (type instanceof ArrayType array) {
      out.writeStartArray();
      for (Object element : elements(value)) {
        write(out, element, array.elementType());
      }
      out.writeEndArray();
    } else if (type instanceof MapType map) {
      writeMap(out, entries(value), map);
    } else if (type instanceof VariantType) {
      out.writeRawValue(value.toString()); // JSON.
    } else {
      writePlain(out, plain(value), kind(type));
    }
  }

  private static void writePlain(JsonGenerator out, String text, Kind kind) throws IOException {
    boolean inJson = !text.equals("NaN") && !text.endsWith("Infinity");
    if (kind == Kind.BARE && inJson) {
      out.writeRawValue(text);
    } else {
      out.writeString(text);
    }
  }

  private static void writeStruct(JsonGenerator out, Row row, StructType type) throws IOException {
    out.writeStartObject();
    for (int i = 0; i < row.length(); i++) {
      StructField field = type.fields()[i];
      out.writeFieldName(field.name());
      write(out, row.get(i), field.dataType());
    }
    out.writeEndObject();
  }

  private static void writeMap(JsonGenerator out, Map<?, ?> map, MapType type) throws IOException {
    if (type.keyType() instanceof StringType) {
      out.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.writeFieldName(entry.getKey().toString());
        write(out, entry.getValue(), type.valueType());
      }
      out.writeEndObject();
      return;
    }
    out.writeStartArray();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.writeStartObject();
      out.writeFieldName("key");
      write(out, entry.getKey(), type.keyType());
      out.writeFieldName("value");
      write(out, entry.getValue(), type.valueType());
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  private static List<?> elements(Object value) {
    return CollectionConverters.asJava((scala.collection.Seq<?>) value);
  }

  private static Map<?, ?> entries(Object value) {
    return CollectionConverters.asJava((scala.collection.Map<?, ?>) value);
  }
}
