package io.icewal.cli.output;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Base64;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A column of the current batch of a JDBC result from Trino.
///
/// What stands in a column of its own is taken as the text that Trino sent: the driver's dates and
/// times have fewer digits and a zone of their own. What is nested is a [NestedValue].
final class ResultColumn {
  private static final Set<String> BARE =
      Set.of(
          "boolean",
          "tinyint",
          "smallint",
          "integer",
          "bigint",
          "real",
          "double",
          "decimal",
          "number");
  private static final Pattern NESTED = Pattern.compile("(array|map|row)\\(.*", Pattern.DOTALL);
  private static final Pattern TIMESTAMP = Pattern.compile("([-+]?\\d+-\\d\\d-\\d\\d) (\\S+)(.*)");
  private static final Pattern OFFSET = Pattern.compile(" ([-+]\\d\\d:\\d\\d)");

  private interface Getter {
    @Nullable String get(ResultSet row, int column) throws SQLException, IOException;
  }

  final Cell cell;
  private final @Nullable String[] values;
  private final Getter getter;

  private ResultColumn(Cell cell, @Nullable String[] values, Getter getter) {
    this.cell = cell;
    this.values = values;
    this.getter = getter;
  }

  static ResultColumn of(String name, String typeName, int rowsMax) {
    @Nullable String[] values = new @Nullable String[rowsMax];
    ResultType type = ResultType.of(typeName);
    if (NESTED.matcher(typeName).matches()) {
      NestedValue nested = new NestedValue(name, type);
      return new ResultColumn(
          new Json(name, values), values, (row, column) -> nested.json(row.getObject(column)));
    }
    if (BARE.contains(type.name())) {
      return new ResultColumn(new Number(name, values), values, ResultColumn::number);
    }
    return new ResultColumn(new Text(name, values), values, getter(type.name()));
  }

  private static Getter getter(String type) {
    return switch (type) {
      case "varbinary" ->
          (row, column) -> {
            byte[] bytes = row.getBytes(column);
            return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
          };
      case "timestamp", "timestamp with time zone" ->
          (row, column) -> {
            String text = row.getString(column);
            return text == null ? null : isoTimestamp(text);
          };
      default -> ResultSet::getString;
    };
  }

  private static @Nullable String number(ResultSet row, int column) throws SQLException {
    String text = row.getString(column);
    return text != null && text.startsWith("+") ? text.substring(1) : text; // "+Infinity"
  }

  /// `2026-01-05 10:00:00.000 UTC` as `2026-01-05T10:00:00.000Z`; names of other zones stay.
  private static String isoTimestamp(String text) {
    Matcher matcher = TIMESTAMP.matcher(text);
    if (!matcher.matches()) {
      return text;
    }
    String zone = matcher.group(3);
    Matcher offset = OFFSET.matcher(zone);
    return matcher.group(1)
        + "T"
        + matcher.group(2)
        + (zone.equals(" UTC") ? "Z" : offset.matches() ? offset.group(1) : zone);
  }

  /// Takes the value of the result's current row to a place of the batch.
  ///
  /// @param column from 1
  void take(ResultSet row, int column, int index) throws SQLException, IOException {
    values[index] = getter.get(row, column);
  }

  private static String required(@Nullable String value) {
    if (value == null) {
      throw new IllegalArgumentException("the text of a null was asked for");
    }
    return value;
  }

  private static final class Number extends Cell.Bare {
    private final @Nullable String[] values;

    Number(String name, @Nullable String[] values) {
      super(name);
      this.values = values;
    }

    @Override
    boolean isNull(int index) {
      return values[index] == null;
    }

    @Override
    String text(int index) {
      return required(values[index]);
    }
  }

  private static final class Text extends Cell.Quoted {
    private final @Nullable String[] values;

    Text(String name, @Nullable String[] values) {
      super(name);
      this.values = values;
    }

    @Override
    boolean isNull(int index) {
      return values[index] == null;
    }

    @Override
    String text(int index) {
      return required(values[index]);
    }
  }

  /// Values that are JSON already.
  private static final class Json extends Cell {
    private final @Nullable String[] values;

    Json(String name, @Nullable String[] values) {
      super(name);
      this.values = values;
    }

    @Override
    boolean isNull(int index) {
      return values[index] == null;
    }

    @Override
    String text(int index) {
      return required(values[index]);
    }

    @Override
    void jsonValue(JsonGenerator out, int index) throws IOException {
      out.writeRawValue(text(index));
    }
  }
}
