package io.icewal.ingest;

import io.icewal.model.Rule;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.types.Types.DecimalType;
import org.jspecify.annotations.Nullable;

/// Decimals of any width and scale, and whole numbers, into decimal128 of the table's precision and
/// scale, where that is exactly the same number.
///
/// A value is checked even if its type says that it fits: the type is the sender's promise only.
final class DecimalConverter implements ColumnConverter {
  private static final int OUT_BYTES = 16;
  private static final int LONG_DIGITS = 18;
  private static final long[] POWERS = powers();

  private final Site site;
  private final @Nullable WordSource whole;
  private final int inBytes;
  private final int inScale;
  private final int precision;
  private final int scale;
  private final BigInteger bound;
  private final long boundHigh;
  private final long boundLow;

  private DecimalConverter(Site site, @Nullable WordSource whole, int inBytes, int inScale) {
    DecimalType type = (DecimalType) site.type();
    this.site = site;
    this.whole = whole;
    this.inBytes = inBytes;
    this.inScale = inScale;
    this.precision = type.precision();
    this.scale = type.scale();
    this.bound = BigInteger.TEN.pow(precision);
    this.boundHigh = bound.shiftRight(Long.SIZE).longValue();
    this.boundLow = bound.longValue();
  }

  /// From decimals of 4, 8, 16 or 32 bytes.
  static DecimalConverter fromDecimals(Site site, int inBytes, int inScale) {
    return new DecimalConverter(site, null, inBytes, inScale);
  }

  static DecimalConverter fromWhole(Site site, WordSource whole) {
    return new DecimalConverter(site, whole, whole.bytes(), 0);
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    NullMap nulls = NullMap.of(in, slots, site, run);
    run.checkNulls(site, slots, nulls);
    ArrowBuf data = in.getDataBuffer();
    run.checkCapacity(site, data, 8L * inBytes, slots, nulls);
    int count = slots.count();
    boolean shared =
        inBytes == OUT_BYTES
            && inScale == scale
            && slots.isPrefix()
            && data.capacity() >= (long) OUT_BYTES * count
            && run.canShare(data);
    long bytes = (long) OUT_BYTES * Math.max(1, count);
    try (ArrowBuf validity = nulls.toBuffer(run);
        ArrowBuf values = shared ? run.emptyBuffer() : run.buffer(bytes)) {
      long target = shared ? 0 : values.memoryAddress();
      for (int i = 0; i < count; i++) {
        convert(data.memoryAddress(), slots, nulls, i, target, run);
      }
      run.load(out, count, nulls.nullCount(), List.of(validity, shared ? data : values));
    }
  }

  private void convert(
      long address, Slots slots, NullMap nulls, int slot, long target, Conversion run) {
    if (nulls.isNull(slot)) {
      write(target, slot, 0, 0);
      return;
    }
    int at = slots.at(slot);
    if (inBytes == OUT_BYTES && inScale == scale) {
      long low = MemoryUtil.getLong(address + 16L * at);
      long high = MemoryUtil.getLong(address + 16L * at + 8);
      if (!fits(high, low)) {
        tooWide(slots, slot, address, run);
      }
      write(target, slot, high, low);
    } else if (!convertShort(address, slots, slot, target, run)) {
      convertLong(address, slots, slot, target, run);
    }
  }

  /// For values of up to 18 digits before and after; false when this is not one.
  private boolean convertShort(long address, Slots slots, int slot, long target, Conversion run) {
    int shift = scale - inScale;
    if (!isShort(address, slots.at(slot)) || shift > LONG_DIGITS || shift < -LONG_DIGITS) {
      return false;
    }
    long value = readShort(address, slots.at(slot));
    if (shift < 0) {
      if (value % POWERS[-shift] != 0) {
        inexact(slots, slot, address, run);
      }
      value /= POWERS[-shift];
    } else {
      long product = value * POWERS[shift];
      if (Math.multiplyHigh(value, POWERS[shift]) != product >> 63) {
        return false;
      }
      value = product;
    }
    if (!fits(value >> 63, value)) {
      tooWide(slots, slot, address, run);
    }
    write(target, slot, value >> 63, value);
    return true;
  }

  private void convertLong(long address, Slots slots, int slot, long target, Conversion run) {
    BigDecimal exact = read(address, slots.at(slot)).stripTrailingZeros();
    if (exact.scale() > scale) {
      inexact(slots, slot, address, run);
      write(target, slot, 0, 0);
      return;
    }
    BigInteger unscaled = exact.setScale(scale).unscaledValue();
    if (unscaled.abs().compareTo(bound) >= 0) {
      tooWide(slots, slot, address, run);
    }
    write(target, slot, unscaled.shiftRight(Long.SIZE).longValue(), unscaled.longValue());
  }

  private boolean isShort(long address, int at) {
    return switch (inBytes) {
      case 1, 2, 4 -> true;
      case 8 -> whole != WordSource.UINT64 || MemoryUtil.getLong(address + 8L * at) >= 0;
      case 16 ->
          MemoryUtil.getLong(address + 16L * at) >> 63
              == MemoryUtil.getLong(address + 16L * at + 8);
      default -> false;
    };
  }

  private long readShort(long address, int at) {
    if (whole != null) {
      return whole.read(address, at);
    }
    return inBytes == 4
        ? MemoryUtil.getInt(address + 4L * at)
        : MemoryUtil.getLong(address + (long) inBytes * at);
  }

  /// The sender's value.
  private BigDecimal read(long address, int at) {
    if (whole != null) {
      return new BigDecimal(whole.text(whole.read(address, at)));
    }
    byte[] bigEndian = new byte[inBytes];
    for (int i = 0; i < inBytes; i++) {
      bigEndian[inBytes - 1 - i] = MemoryUtil.getByte(address + (long) inBytes * at + i);
    }
    return new BigDecimal(new BigInteger(bigEndian), inScale);
  }

  /// Whether the value lies strictly between the bound and its negative.
  private boolean fits(long high, long low) {
    boolean below =
        high < boundHigh || (high == boundHigh && Long.compareUnsigned(low, boundLow) < 0);
    long negatedLow = -boundLow;
    long negatedHigh = boundLow == 0 ? -boundHigh : ~boundHigh;
    boolean above =
        high > negatedHigh || (high == negatedHigh && Long.compareUnsigned(low, negatedLow) > 0);
    return below && above;
  }

  private static void write(long target, int slot, long high, long low) {
    if (target != 0) {
      MemoryUtil.putLong(target + 16L * slot, low);
      MemoryUtil.putLong(target + 16L * slot + 8, high);
    }
  }

  private void tooWide(Slots slots, int slot, long address, Conversion run) {
    run.bad(
        site,
        slots,
        slot,
        Rule.OUT_OF_RANGE,
        i -> read(address, slots.at(i)).toPlainString(),
        "value does not fit " + site.type());
  }

  private void inexact(Slots slots, int slot, long address, Conversion run) {
    run.bad(
        site,
        slots,
        slot,
        Rule.PRECISION_LOSS,
        i -> read(address, slots.at(i)).toPlainString(),
        "value has more than the " + scale + " decimal places of " + site.type());
  }

  private static long[] powers() {
    long[] powers = new long[LONG_DIGITS + 1];
    powers[0] = 1;
    for (int i = 1; i < powers.length; i++) {
      powers[i] = powers[i - 1] * 10;
    }
    return powers;
  }
}
