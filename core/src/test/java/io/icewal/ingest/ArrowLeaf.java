package io.icewal.ingest;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.UUID;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.VariableWidthFieldVector;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.NullUnmarked;

/// The form of a type without children: a random one of the Arrow types that hold its values.
@NullUnmarked // Nulls are part of what is tested.
final class ArrowLeaf implements ArrowInput.Form {
  private final Random random;
  private final Type type;
  private final ArrowType arrow;

  ArrowLeaf(Random random, Type type) {
    this.random = random;
    this.type = type;
    this.arrow = arrowType(type);
  }

  @Override
  public Field field(String name) {
    return Harness.field(name, arrow);
  }

  @Override
  public void write(FieldVector vector, int index, Object value) {
    if (value == null) {
      if (vector instanceof BaseFixedWidthVector fixed && random.nextBoolean()) {
        // Garbage under a null.
        fixed.setIndexDefined(growTo(fixed, index));
        if (!(fixed instanceof BitVector)) {
          fixed.getDataBuffer().setByte((long) fixed.getTypeWidth() * index, 0xEE);
        }
      }
      vector.setNull(index);
    } else if (vector instanceof BitVector bits) {
      bits.setSafe(index, (Boolean) value ? 1 : 0);
    } else if (vector instanceof DecimalVector decimals) {
      decimals.setSafe(index, rescale((BigDecimal) value));
    } else if (vector instanceof Decimal256Vector decimals) {
      decimals.setSafe(index, rescale((BigDecimal) value));
    } else if (vector instanceof FixedSizeBinaryVector fixed) {
      fixed.setSafe(index, bytes(value));
    } else if (vector instanceof VariableWidthFieldVector variable) {
      if (variable instanceof BaseVariableWidthViewVector views) {
        // Its own growth stops one value short.
        while (views.getDataBuffer().capacity() < 16L * (index + 2)) {
          views.reallocViewBuffer();
        }
      }
      variable.setSafe(
          index,
          value instanceof UUID uuid && isText()
              ? uuid.toString().getBytes(StandardCharsets.UTF_8)
              : bytes(value));
    } else {
      writeWord((BaseFixedWidthVector) vector, index, word(value));
    }
  }

  private boolean isText() {
    return arrow instanceof ArrowType.Utf8
        || arrow instanceof ArrowType.LargeUtf8
        || arrow instanceof ArrowType.Utf8View;
  }

  private BigDecimal rescale(BigDecimal value) {
    return value.setScale(((ArrowType.Decimal) arrow).getScale());
  }

  private long word(Object value) {
    if (arrow instanceof ArrowType.FloatingPoint floating) {
      double number = ((Number) value).doubleValue();
      return floating.getPrecision() == FloatingPointPrecision.SINGLE
          ? Float.floatToRawIntBits((float) number)
          : Double.doubleToRawLongBits(number);
    }
    long number = ((Number) value).longValue();
    if (arrow instanceof ArrowType.Timestamp timestamp) {
      TimeUnit own =
          type.typeId() == Type.TypeID.TIMESTAMP_NANO ? TimeUnit.NANOSECOND : TimeUnit.MICROSECOND;
      return scale(number, own, timestamp.getUnit());
    }
    if (arrow instanceof ArrowType.Time time) {
      return scale(number, TimeUnit.MICROSECOND, time.getUnit());
    }
    return arrow instanceof ArrowType.Date date && date.getUnit() == DateUnit.MILLISECOND
        ? number * 86_400_000
        : number;
  }

  private static long scale(long value, TimeUnit from, TimeUnit to) {
    long per = perSecond(to);
    return per >= perSecond(from)
        ? value * (per / perSecond(from))
        : value / (perSecond(from) / per);
  }

  private static long perSecond(TimeUnit unit) {
    return (long) Math.pow(1000, unit.ordinal());
  }

  private static int growTo(BaseFixedWidthVector vector, int index) {
    while (vector.getValueCapacity() <= index) {
      vector.reAlloc();
    }
    return index;
  }

  private static void writeWord(BaseFixedWidthVector vector, int index, long word) {
    vector.setIndexDefined(growTo(vector, index));
    switch (vector.getTypeWidth()) {
      case 1 -> vector.getDataBuffer().setByte(index, (int) word);
      case 2 -> vector.getDataBuffer().setShort(2L * index, (int) word);
      case 4 -> vector.getDataBuffer().setInt(4L * index, (int) word);
      default -> vector.getDataBuffer().setLong(8L * index, word);
    }
  }

  private static byte[] bytes(Object value) {
    if (value instanceof String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    if (value instanceof UUID uuid) {
      return ByteBuffer.allocate(16)
          .putLong(uuid.getMostSignificantBits())
          .putLong(uuid.getLeastSignificantBits())
          .array();
    }
    return ((ByteBuffer) value).array();
  }

  @SafeVarargs
  private <T> T any(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private ArrowType arrowType(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> ArrowType.Bool.INSTANCE;
      // Values are small enough for any of these.
      case INTEGER, LONG -> new ArrowType.Int(any(8, 16, 32, 64), random.nextInt(3) > 0);
      case FLOAT, DOUBLE ->
          new ArrowType.FloatingPoint(
              any(FloatingPointPrecision.SINGLE, FloatingPointPrecision.DOUBLE));
      case DECIMAL -> {
        int scale = ((Types.DecimalType) type).scale() + random.nextInt(4);
        yield random.nextBoolean()
            ? new ArrowType.Decimal(38, scale, 128)
            : new ArrowType.Decimal(70, scale, 256);
      }
      case DATE -> new ArrowType.Date(any(DateUnit.DAY, DateUnit.MILLISECOND));
      case TIME ->
          any(
              new ArrowType.Time(TimeUnit.SECOND, 32),
              new ArrowType.Time(TimeUnit.MILLISECOND, 32),
              new ArrowType.Time(TimeUnit.MICROSECOND, 64),
              new ArrowType.Time(TimeUnit.NANOSECOND, 64));
      case TIMESTAMP ->
          new ArrowType.Timestamp(
              any(TimeUnit.values()),
              ((Types.TimestampType) type).shouldAdjustToUTC() ? any("UTC", "+05:30") : null);
      case TIMESTAMP_NANO ->
          new ArrowType.Timestamp(
              any(TimeUnit.values()),
              ((Types.TimestampNanoType) type).shouldAdjustToUTC() ? "UTC" : null);
      case STRING ->
          any(ArrowType.Utf8.INSTANCE, ArrowType.LargeUtf8.INSTANCE, ArrowType.Utf8View.INSTANCE);
      case BINARY ->
          any(
              ArrowType.Binary.INSTANCE,
              ArrowType.LargeBinary.INSTANCE,
              ArrowType.BinaryView.INSTANCE);
      case FIXED ->
          any(
              new ArrowType.FixedSizeBinary(((Types.FixedType) type).length()),
              ArrowType.Binary.INSTANCE,
              ArrowType.BinaryView.INSTANCE);
      case UUID ->
          any(
              new ArrowType.FixedSizeBinary(16),
              ArrowType.LargeBinary.INSTANCE,
              ArrowType.Utf8.INSTANCE,
              ArrowType.Utf8View.INSTANCE);
      default -> throw new IllegalArgumentException(type.toString());
    };
  }
}
