package io.icewal.cli.output;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Set;

/// The values of one column of a batch as text and as JSON. Not thread-safe.
///
/// [Cells] makes those of Arrow vectors, [ResultColumn] those of a JDBC result, [TextRows] those of
/// values that came as text.
abstract class Cell {
  private static final Set<String> NOT_IN_JSON = Set.of("NaN", "Infinity", "-Infinity");

  final String name;

  Cell(String name) {
    this.name = name;
  }

  abstract boolean isNull(int index);

  /// The value as plain text; nested values as JSON. Not for nulls.
  abstract String text(int index) throws IOException;

  /// Writes the value, or null.
  final void json(JsonGenerator out, int index) throws IOException {
    if (isNull(index)) {
      out.writeNull();
    } else {
      jsonValue(out, index);
    }
  }

  abstract void jsonValue(JsonGenerator out, int index) throws IOException;

  /// Whether it is a number or boolean, which stands at the right of its column.
  boolean isBare() {
    return false;
  }

  /// A value that JSON shows as a string.
  abstract static class Quoted extends Cell {
    Quoted(String name) {
      super(name);
    }

    @Override
    final void jsonValue(JsonGenerator out, int index) throws IOException {
      out.writeString(text(index));
    }
  }

  static void writeBare(JsonGenerator out, String text) throws IOException {
    if (NOT_IN_JSON.contains(text)) {
      out.writeString(text);
    } else {
      out.writeRawValue(text);
    }
  }

  /// A number or boolean, which JSON shows without quotes, unless it has no form for it.
  abstract static class Bare extends Cell {
    Bare(String name) {
      super(name);
    }

    @Override
    final boolean isBare() {
      return true;
    }

    @Override
    final void jsonValue(JsonGenerator out, int index) throws IOException {
      writeBare(out, text(index));
    }
  }

  /// A struct, list or map.
  abstract static class Nested extends Cell {
    Nested(String name) {
      super(name);
    }

    @Override
    final String text(int index) throws IOException {
      StringWriter text = new StringWriter();
      try (JsonGenerator out = NdjsonPrinter.JSON.createGenerator(text)) {
        jsonValue(out, index);
      }
      return text.toString();
    }
  }
}
