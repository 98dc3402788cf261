package io.icewal.cli.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.function.ToDoubleFunction;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.jspecify.annotations.Nullable;

/// Columns of booleans and numbers. A number may also come as a string, as JavaScript programs send
/// large integers and exact decimals; it is never rounded, except that a binary float takes the
/// value nearest to the text.
final class JsonNumbers {
  private static final int DIGITS_MAX = 1000;

  private JsonNumbers() {}

  static final class Booleans extends JsonLeaf<BitVector> {
    Booleans(String path, BitVector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      JsonToken token = in.currentToken();
      if (token.isBoolean()) {
        vector.setSafe(index, token == JsonToken.VALUE_TRUE ? 1 : 0);
      } else {
        wrongKind(in, faults, "true or false");
      }
    }
  }

  static final class Ints extends JsonLeaf<IntVector> {
    Ints(String path, IntVector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      if (in.currentToken() == JsonToken.VALUE_NUMBER_INT
          && in.getNumberType() == JsonParser.NumberType.INT) {
        vector.setSafe(index, in.getIntValue());
        return;
      }
      Long value = integer(this, in, faults, Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
      if (value != null) {
        vector.setSafe(index, value.intValue());
      }
    }
  }

  static final class Longs extends JsonLeaf<BigIntVector> {
    Longs(String path, BigIntVector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      if (in.currentToken() == JsonToken.VALUE_NUMBER_INT
          && in.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
        vector.setSafe(index, in.getLongValue());
        return;
      }
      Long value = integer(this, in, faults, Long.MIN_VALUE, Long.MAX_VALUE, "bigint");
      if (value != null) {
        vector.setSafe(index, value);
      }
    }
  }

  static final class Floats extends JsonLeaf<Float4Vector> {
    Floats(String path, Float4Vector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      Double value = floating(this, in, faults, "float", Float::parseFloat);
      if (value != null) {
        vector.setSafe(index, value.floatValue());
      }
    }
  }

  static final class Doubles extends JsonLeaf<Float8Vector> {
    Doubles(String path, Float8Vector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      if (in.currentToken() == JsonToken.VALUE_NUMBER_FLOAT) {
        double finite = in.getDoubleValue();
        if (Double.isFinite(finite)) {
          vector.setSafe(index, finite);
          return;
        }
      }
      Double value = floating(this, in, faults, "double", Double::parseDouble);
      if (value != null) {
        vector.setSafe(index, value);
      }
    }
  }

  static final class Decimals extends JsonLeaf<DecimalVector> {
    Decimals(String path, DecimalVector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      BigDecimal value = decimal(this, in, faults, "a decimal number");
      if (value == null) {
        return;
      }
      String type = "decimal(" + vector.getPrecision() + "," + vector.getScale() + ")";
      BigDecimal fitted = fit(value, vector.getScale(), vector.getPrecision());
      if (fitted == null) {
        String text = in.getText();
        faults.add(
            path,
            "out-of-range",
            text,
            "expected a " + type + ", " + quote(text) + " does not fit");
      } else {
        vector.setSafe(index, fitted);
      }
    }
  }

  /// The value at the scale, or null if digits would be lost. The number of digits is checked
  /// first: `1e999999999` must not be written out.
  static @Nullable BigDecimal fit(BigDecimal value, int scale, int precision) {
    BigDecimal exact = value.scale() > scale ? value.stripTrailingZeros() : value;
    if (exact.signum() == 0) {
      return BigDecimal.ZERO.setScale(scale);
    }
    long integerDigits = (long) exact.precision() - exact.scale();
    if (exact.scale() > scale || integerDigits > precision - scale) {
      return null;
    }
    return exact.setScale(scale);
  }

  private static @Nullable Double floating(
      JsonColumn column,
      JsonParser in,
      RowFaults faults,
      String type,
      ToDoubleFunction<String> parse)
      throws IOException {
    String text = numberText(column, in, faults, "a number");
    if (text == null) {
      return null;
    }
    String quoted = JsonColumn.quote(text);
    try {
      double value = parse.applyAsDouble(text);
      if (!isOverflow(value, text)) {
        return value;
      }
      faults.add(
          column.path,
          "out-of-range",
          text,
          "expected a " + type + ", " + quoted + " is out of range");
    } catch (NumberFormatException e) {
      faults.add(column.path, "type", text, "expected a number, got " + quoted);
    }
    return null;
  }

  private static boolean isOverflow(double value, String text) {
    return Double.isInfinite(value) && !text.endsWith("Infinity");
  }

  private static @Nullable Long integer(
      JsonColumn column, JsonParser in, RowFaults faults, long min, long max, String type)
      throws IOException {
    BigDecimal value = decimal(column, in, faults, "an integer");
    if (value == null) {
      return null;
    }
    String text = in.getText();
    BigDecimal whole = fit(value, 0, 19);
    if (whole == null && value.stripTrailingZeros().scale() > 0) {
      faults.add(
          column.path,
          "type",
          text,
          "expected an integer, got the number " + JsonColumn.quote(text));
      return null;
    }
    if (whole == null
        || whole.compareTo(BigDecimal.valueOf(min)) < 0
        || whole.compareTo(BigDecimal.valueOf(max)) > 0) {
      String message =
          "expected " + type + " (" + min + " to " + max + "), got " + JsonColumn.quote(text);
      faults.add(column.path, "out-of-range", text, message);
      return null;
    }
    return whole.longValueExact();
  }

  private static @Nullable BigDecimal decimal(
      JsonColumn column, JsonParser in, RowFaults faults, String expected) throws IOException {
    if (in.currentToken().isNumeric()) {
      return in.getDecimalValue();
    }
    String text = numberText(column, in, faults, expected);
    if (text == null) {
      return null;
    }
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException e) {
      column.wrongKind(in, faults, expected);
      return null;
    }
  }

  private static @Nullable String numberText(
      JsonColumn column, JsonParser in, RowFaults faults, String expected) throws IOException {
    JsonToken token = in.currentToken();
    if (!token.isNumeric() && token != JsonToken.VALUE_STRING) {
      column.wrongKind(in, faults, expected);
      return null;
    }
    String text = in.getText();
    if (text.length() > DIGITS_MAX || !isNumber(text)) {
      column.wrongKind(in, faults, expected);
      return null;
    }
    return text;
  }

  /// Java would also take `1d`, `0x1p3` and blanks.
  private static boolean isNumber(String text) {
    if (text.equals("NaN") || text.equals("Infinity") || text.equals("-Infinity")) {
      return true;
    }
    return !text.isEmpty() && text.chars().allMatch(c -> "0123456789+-.eE".indexOf(c) >= 0);
  }
}
