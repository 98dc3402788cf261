package io.icewal.cli.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/// Writes JSON values into one Arrow vector, at indexes that the caller gives.
///
/// An index may be written again: the last write counts, which is how the place of a row that was
/// left out goes to the next one. A column never throws for a bad value: it reports the fault and
/// consumes the value whole. The vector belongs to the caller. Not thread-safe.
abstract class JsonColumn {
  final String path;
  private @Nullable String nullRule;

  JsonColumn(String path) {
    this.path = path;
  }

  /// Makes null a fault under this rule.
  final JsonColumn refuseNull(String rule) {
    nullRule = rule;
    return this;
  }

  abstract FieldVector vector();

  /// Writes the value whose first token is current; its last token is current afterwards.
  final void read(JsonParser in, int index, RowFaults faults) throws IOException {
    if (in.currentToken() == JsonToken.VALUE_NULL) {
      readNull(index, faults);
    } else {
      readValue(in, index, faults);
    }
  }

  /// A null, or a value that is not there.
  final void readNull(int index, RowFaults faults) {
    if (nullRule == null) {
      writeNull(index);
    } else {
      faults.add(path, nullRule, null, "a value is required, got none");
    }
  }

  /// Like [#read], for a value that is not null.
  abstract void readValue(JsonParser in, int index, RowFaults faults) throws IOException;

  abstract void writeNull(int index);

  /// Reports a value of the wrong kind and steps over it.
  final void wrongKind(JsonParser in, RowFaults faults, String expected) throws IOException {
    String seen = kindOf(in.currentToken());
    String value = in.currentToken().isStructStart() ? null : in.getText();
    in.skipChildren();
    String shown = value == null ? seen : seen + " " + quote(value);
    faults.add(path, "type", value, "expected " + expected + ", got " + shown);
  }

  static String quote(String value) {
    int max = RowFaults.VALUE_CHARS_MAX;
    return "'" + (value.length() > max ? value.substring(0, max) + "…" : value) + "'";
  }

  static String kindOf(JsonToken token) {
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "an array";
      case VALUE_STRING -> "the string";
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "the number";
      case VALUE_TRUE, VALUE_FALSE -> "the boolean";
      case VALUE_NULL -> "null";
      default -> "token " + token;
    };
  }
}
