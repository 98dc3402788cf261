package io.icewal.cli.output;

import com.fasterxml.jackson.core.JsonGenerator;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.trino.jdbc.Row;
import io.trino.jdbc.RowField;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/// Writes arrays, maps and rows of a JDBC result from Trino as JSON.
///
/// They are there only as the driver's objects. Times among these are exact to the millisecond, and
/// timestamps to the nanosecond, if the JVM's time zone is UTC; what may have lost digits, or whose
/// type is not known, is refused.
final class NestedValue {
  private static final int TIMESTAMP_DIGITS_MAX = 9;

  /// Numbers beyond these that look like others in JSON.
  private static final Set<String> NOT_IN_JSON = Set.of("NaN", "Infinity", "-Infinity");

  /// Before it the driver's calendar has no years.
  private static final long FIRST_YEAR =
      LocalDate.of(2, 1, 1).toEpochDay() * Duration.ofDays(1).toMillis();

  private final String column;
  private final ResultType type;

  NestedValue(String column, ResultType type) {
    this.column = column;
    this.type = type;
  }

  @Nullable String json(@Nullable Object value) throws IOException, SQLException {
    if (value == null) {
      return null;
    }
    StringWriter text = new StringWriter();
    try (JsonGenerator out = NdjsonPrinter.JSON.createGenerator(text)) {
      write(out, value, type);
    }
    return text.toString();
  }

  private void write(JsonGenerator out, @Nullable Object value, ResultType type)
      throws IOException, SQLException {
    if (value == null) {
      out.writeNull();
    } else if (value instanceof Boolean bare) {
      out.writeBoolean(bare);
    } else if (value instanceof Number number) {
      writeNumber(out, number);
    } else if (value instanceof byte[] bytes) {
      out.writeString(Base64.getEncoder().encodeToString(bytes));
    } else if (value instanceof Array array) {
      writeList(out, Arrays.asList((@Nullable Object[]) array.getArray()), type);
    } else if (value instanceof List<?> list) {
      writeList(out, list, type);
    } else if (value instanceof Map<?, ?> map) {
      writeMap(out, map, type);
    } else if (value instanceof Row row) {
      writeRow(out, row.getFields(), type);
    } else if (value instanceof java.util.Date time) {
      out.writeString(time(time, type));
    } else {
      out.writeString(value.toString());
    }
  }

  private static void writeNumber(JsonGenerator out, Number number) throws IOException {
    String text =
        number instanceof BigDecimal decimal ? decimal.toPlainString() : number.toString();
    if (NOT_IN_JSON.contains(text)) {
      out.writeString(text);
    } else {
      out.writeRawValue(text);
    }
  }

  private void writeList(JsonGenerator out, List<?> list, ResultType type)
      throws IOException, SQLException {
    out.writeStartArray();
    for (Object element : list) {
      write(out, element, type.argument(0, 1));
    }
    out.writeEndArray();
  }

  /// As `cat` does: an object where the key is a string, else an array of entries.
  private void writeMap(JsonGenerator out, Map<?, ?> map, ResultType type)
      throws IOException, SQLException {
    ResultType keys = type.argument(0, 2);
    ResultType values = type.argument(1, 2);
    if (keys.isString()) {
      out.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.writeFieldName(String.valueOf(entry.getKey()));
        write(out, entry.getValue(), values);
      }
      out.writeEndObject();
      return;
    }
    out.writeStartArray();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.writeStartObject();
      out.writeFieldName("key");
      write(out, entry.getKey(), keys);
      out.writeFieldName("value");
      write(out, entry.getValue(), values);
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  /// An object, or an array where fields have no names, or one name twice.
  private void writeRow(JsonGenerator out, List<RowField> fields, ResultType type)
      throws IOException, SQLException {
    List<@Nullable String> names =
        fields.stream().<@Nullable String>map(field -> field.getName().orElse(null)).toList();
    boolean named =
        names.stream().allMatch(Objects::nonNull)
            && names.stream().distinct().count() == names.size();
    if (named) {
      out.writeStartObject();
    } else {
      out.writeStartArray();
    }
    for (int i = 0; i < fields.size(); i++) {
      if (named) {
        out.writeFieldName(String.valueOf(names.get(i)));
      }
      write(out, fields.get(i).getValue(), type.argument(i, fields.size()));
    }
    if (named) {
      out.writeEndObject();
    } else {
      out.writeEndArray();
    }
  }

  private String time(java.util.Date value, ResultType type) {
    boolean exact = value.getTime() >= FIRST_YEAR && TimeZone.getDefault().getRawOffset() == 0;
    if (exact && value instanceof Date date && type.name().equals("date")) {
      return date.toLocalDate().toString();
    }
    if (exact
        && value instanceof Timestamp timestamp
        && type.name().startsWith("timestamp")
        && type.digits() <= TIMESTAMP_DIGITS_MAX) {
      String text = DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(timestamp.toLocalDateTime());
      return type.isZoned() ? text + "Z" : text;
    }
    throw new IcewalException(
        ErrorKind.INVALID,
        "column '"
            + column
            + "' has times inside arrays, maps or rows that Trino's driver does not hand over"
            + " exactly; CAST them AS varchar in the statement");
  }
}
