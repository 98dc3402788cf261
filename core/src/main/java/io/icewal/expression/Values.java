package io.icewal.expression;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Arrays;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.ByteFunctionHelpers;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/// The values of one column in a batch, compared with literals or with another column. There is one
/// implementation for each way in which types are ordered.
///
/// Order of the types: numbers and times by value; booleans false before true; strings by code
/// point, binary, fixed and uuid by unsigned bytes; floating point as IEEE 754 says: a NaN is
/// unordered, the zeros are equal.
interface Values {
  /// Compares the row's value, which is not null, with a literal of [Point]'s matching kind.
  int compare(int row, Point literal);

  /// Compares the row's value with that of another column of the same family; neither is null.
  int compare(int row, Values other);

  /// A literal in the form in which a column's values are compared with it.
  sealed interface Point permits IntegerPoint, FloatingPoint, DecimalPoint, BytesPoint {}

  /// Something on the line of integers: `floor` itself if `whenEqual` is 0; above `floor` and below
  /// the next integer if it is -1; below `floor`, and every integer there can be, if it is 1.
  record IntegerPoint(long floor, int whenEqual) implements Point {
    /// @param min the type's smallest value
    /// @param max the type's largest value
    static IntegerPoint of(BigDecimal value, long min, long max) {
      if (value.compareTo(BigDecimal.valueOf(min)) < 0) {
        return new IntegerPoint(min, 1);
      }
      if (value.compareTo(BigDecimal.valueOf(max)) > 0) {
        return new IntegerPoint(max, -1);
      }
      BigDecimal floor = value.setScale(0, RoundingMode.FLOOR);
      return new IntegerPoint(floor.longValueExact(), floor.compareTo(value) == 0 ? 0 : -1);
    }

    int compareTo(long value) {
      return value == floor ? whenEqual : Long.compare(value, floor);
    }
  }

  /// A floating point number.
  record FloatingPoint(double value) implements Point {}

  /// The same as [IntegerPoint] for unscaled decimals.
  ///
  /// @param scale the column's
  record DecimalPoint(BigInteger floor, int scale, int whenEqual) implements Point {
    private static final BigInteger MAX = BigInteger.ONE.shiftLeft(127).subtract(BigInteger.ONE);

    static DecimalPoint of(BigDecimal value, int scale) {
      BigDecimal floor = value.setScale(scale, RoundingMode.FLOOR);
      BigInteger unscaled = floor.unscaledValue();
      if (unscaled.compareTo(MAX) > 0) {
        return new DecimalPoint(MAX, scale, -1);
      }
      if (unscaled.compareTo(MAX.not()) < 0) {
        return new DecimalPoint(MAX.not(), scale, 1);
      }
      return new DecimalPoint(unscaled, scale, floor.compareTo(value) == 0 ? 0 : -1);
    }
  }

  /// Bytes.
  record BytesPoint(byte[] bytes) implements Point {
    @Override
    public boolean equals(Object other) {
      return other instanceof BytesPoint that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }
  }

  /// The values of a vector of the canonical form of `type`.
  static Values of(FieldVector vector, Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> new Booleans((BitVector) vector);
      case INTEGER, DATE -> new Ints(((BaseFixedWidthVector) vector).getDataBuffer());
      case LONG, TIME, TIMESTAMP, TIMESTAMP_NANO ->
          new Longs(((BaseFixedWidthVector) vector).getDataBuffer());
      case FLOAT -> new Floats(((BaseFixedWidthVector) vector).getDataBuffer());
      case DOUBLE -> new Doubles(((BaseFixedWidthVector) vector).getDataBuffer());
      case DECIMAL ->
          new Decimals(
              ((BaseFixedWidthVector) vector).getDataBuffer(), ((Types.DecimalType) type).scale());
      case STRING, BINARY ->
          new Bytes(
              ((BaseVariableWidthVector) vector).getDataBuffer(),
              ((BaseVariableWidthVector) vector).getOffsetBuffer(),
              0);
      case UUID, FIXED ->
          new Bytes(
              ((FixedSizeBinaryVector) vector).getDataBuffer(),
              null,
              ((FixedSizeBinaryVector) vector).getByteWidth());
      default -> throw new IllegalArgumentException("no order for " + type);
    };
  }

  /// Values that are integers, whatever they count.
  sealed interface Integers extends Values permits Ints, Longs, Booleans {
    long value(int row);

    @Override
    default int compare(int row, Point literal) {
      return ((IntegerPoint) literal).compareTo(value(row));
    }

    @Override
    default int compare(int row, Values other) {
      return Long.compare(value(row), ((Integers) other).value(row));
    }
  }

  record Ints(ArrowBuf data) implements Integers {
    @Override
    public long value(int row) {
      return data.getInt((long) row * Integer.BYTES);
    }
  }

  record Longs(ArrowBuf data) implements Integers {
    @Override
    public long value(int row) {
      return data.getLong((long) row * Long.BYTES);
    }
  }

  record Booleans(BitVector vector) implements Integers {
    @Override
    public long value(int row) {
      return vector.get(row);
    }
  }

  /// Floating point values, all as doubles.
  sealed interface Floatings extends Values permits Floats, Doubles {
    double value(int row);

    @Override
    default int compare(int row, Point literal) {
      return order(value(row), ((FloatingPoint) literal).value());
    }

    @Override
    default int compare(int row, Values other) {
      return order(value(row), ((Floatings) other).value(row));
    }

    private static int order(double left, double right) {
      if (left < right) {
        return -1;
      }
      if (left > right) {
        return 1;
      }
      return left == right ? 0 : ComparisonOp.UNORDERED;
    }
  }

  record Floats(ArrowBuf data) implements Floatings {
    @Override
    public double value(int row) {
      return data.getFloat((long) row * Float.BYTES);
    }
  }

  record Doubles(ArrowBuf data) implements Floatings {
    @Override
    public double value(int row) {
      return data.getDouble((long) row * Double.BYTES);
    }
  }

  /// Decimals: 16 bytes, little-endian two's complement.
  record Decimals(ArrowBuf data, int scale) implements Values {
    @Override
    public int compare(int row, Point literal) {
      DecimalPoint point = (DecimalPoint) literal;
      long high = point.floor().shiftRight(64).longValue();
      int order = order(high(row), low(row), high, point.floor().longValue());
      return order == 0 ? point.whenEqual() : order;
    }

    @Override
    public int compare(int row, Values other) {
      Decimals that = (Decimals) other;
      return order(high(row), low(row), that.high(row), that.low(row));
    }

    private long low(int row) {
      return data.getLong(row * 16L);
    }

    private long high(int row) {
      return data.getLong(row * 16L + 8);
    }

    private static int order(long high, long low, long otherHigh, long otherLow) {
      return high == otherHigh
          ? Long.compareUnsigned(low, otherLow)
          : Long.compare(high, otherHigh);
    }
  }

  /// Bytes of varying length, or all of one length.
  record Bytes(ArrowBuf data, @org.jspecify.annotations.Nullable ArrowBuf offsets, int width)
      implements Values {
    long start(int row) {
      return offsets == null ? (long) row * width : offsets.getInt(row * 4L);
    }

    long end(int row) {
      return offsets == null ? (row + 1L) * width : offsets.getInt((row + 1) * 4L);
    }

    @Override
    public int compare(int row, Point literal) {
      byte[] bytes = ((BytesPoint) literal).bytes();
      return ByteFunctionHelpers.compare(
          data, (int) start(row), (int) end(row), bytes, 0, bytes.length);
    }

    @Override
    public int compare(int row, Values other) {
      Bytes that = (Bytes) other;
      return ByteFunctionHelpers.compare(
          data,
          (int) start(row),
          (int) end(row),
          that.data,
          (int) that.start(row),
          (int) that.end(row));
    }
  }
}
