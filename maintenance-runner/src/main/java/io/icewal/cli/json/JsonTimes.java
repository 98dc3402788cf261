package io.icewal.cli.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.time.DateTimeException;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.jspecify.annotations.Nullable;

/// Columns of dates and times, from ISO 8601 strings.
final class JsonTimes {
  private JsonTimes() {}

  /// Turns a text into the number that is stored; throws [DateTimeException].
  interface TimeParser {
    long parse(String text);
  }

  static final class Dates extends JsonLeaf<DateDayVector> {
    Dates(String path, DateDayVector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      String text = text(this, in, faults, "a date such as \"2024-02-29\"");
      if (text == null) {
        return;
      }
      try {
        vector.setSafe(index, IsoTimes.days(text));
      } catch (DateTimeException | ArithmeticException e) {
        refuse(this, faults, text, "a date such as 2024-02-29", e);
      }
    }
  }

  static final class Times extends JsonLeaf<TimeMicroVector> {
    Times(String path, TimeMicroVector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      String text = text(this, in, faults, "a time such as \"13:30:05.123456\"");
      if (text == null) {
        return;
      }
      try {
        vector.setSafe(index, IsoTimes.timeMicros(text));
      } catch (DateTimeException e) {
        refuse(this, faults, text, "a time such as 13:30:05.123456", e);
      }
    }
  }

  static final class Timestamps extends JsonLeaf<TimeStampVector> {
    private final TimeParser parser;
    private final String expected;

    Timestamps(String path, TimeStampVector vector, IsoTimes.Zone zone, boolean nanos) {
      super(path, vector);
      this.parser =
          nanos
              ? text -> IsoTimes.timestampNanos(text, zone)
              : text -> IsoTimes.timestampMicros(text, zone);
      String example = "2024-02-29T13:30:05.123456" + (nanos ? "789" : "");
      this.expected =
          "a timestamp such as " + example + (zone == IsoTimes.Zone.REQUIRED ? "Z" : "");
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      String text = text(this, in, faults, expected);
      if (text == null) {
        return;
      }
      try {
        vector.setSafe(index, parser.parse(text));
      } catch (DateTimeException e) {
        refuse(this, faults, text, expected, e);
      }
    }
  }

  private static @Nullable String text(
      JsonColumn column, JsonParser in, RowFaults faults, String expected) throws IOException {
    if (in.currentToken() != JsonToken.VALUE_STRING) {
      column.wrongKind(in, faults, expected);
      return null;
    }
    return in.getText();
  }

  private static void refuse(
      JsonColumn column, RowFaults faults, String text, String expected, RuntimeException why) {
    String message =
        "expected " + expected + ", got " + JsonColumn.quote(text) + ": " + why.getMessage();
    faults.add(column.path, "format", text, message);
  }
}
