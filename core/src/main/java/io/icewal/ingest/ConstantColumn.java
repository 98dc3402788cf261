package io.icewal.ingest;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;

/// A column that was not sent: its write-default in every row, or null.
final class ConstantColumn {
  private final Field field;
  private final @Nullable Object value;
  private final ColumnConverter identity;

  /// @param field the canonical field
  /// @param value Iceberg's own form of the default, or null
  /// @param identity converts the canonical form to itself
  ConstantColumn(Field field, @Nullable Object value, ColumnConverter identity) {
    this.field = field;
    this.value = value;
    this.identity = identity;
  }

  void fill(Slots slots, FieldVector out, Conversion run) {
    if (value == null) {
      AllNullConverter.fill(out, slots.count(), run);
      return;
    }
    run.chargeHeap(4L * slots.count());
    int[] source = new int[slots.count()];
    for (int i = 0; i < source.length; i++) {
      source[i] = slots.at(i) == Slots.MASKED ? Slots.MASKED : 0;
    }
    try (FieldVector one = field.createVector(run.allocator())) {
      set(one, value);
      one.setValueCount(1);
      identity.convert(one, slots.through(source, 1), out, run);
    }
  }

  private static void set(FieldVector vector, Object value) {
    if (vector instanceof BitVector bits) {
      bits.setSafe(0, (Boolean) value ? 1 : 0);
    } else if (vector instanceof IntVector ints) {
      ints.setSafe(0, (Integer) value);
    } else if (vector instanceof DateDayVector days) {
      days.setSafe(0, (Integer) value);
    } else if (vector instanceof BigIntVector longs) {
      longs.setSafe(0, (Long) value);
    } else if (vector instanceof TimeMicroVector times) {
      times.setSafe(0, (Long) value);
    } else if (vector instanceof TimeStampVector timestamps) {
      timestamps.setSafe(0, (Long) value);
    } else if (vector instanceof Float4Vector floats) {
      floats.setSafe(0, (Float) value);
    } else if (vector instanceof Float8Vector doubles) {
      doubles.setSafe(0, (Double) value);
    } else if (vector instanceof DecimalVector decimals) {
      decimals.setSafe(0, (BigDecimal) value);
    } else if (vector instanceof VarCharVector texts) {
      texts.setSafe(0, value.toString().getBytes(StandardCharsets.UTF_8));
    } else if (vector instanceof VarBinaryVector binaries) {
      binaries.setSafe(0, bytes((ByteBuffer) value));
    } else if (vector instanceof FixedSizeBinaryVector fixed) {
      fixed.setSafe(0, value instanceof UUID uuid ? bytes(uuid) : bytes((ByteBuffer) value));
    } else {
      throw new IllegalArgumentException("no default for " + vector.getField());
    }
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static byte[] bytes(UUID uuid) {
    byte[] bytes = new byte[16];
    ByteBuffer.wrap(bytes)
        .putLong(uuid.getMostSignificantBits())
        .putLong(uuid.getLeastSignificantBits());
    return bytes;
  }
}
