package io.icewal.ingest;

import io.icewal.model.Rule;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.Float16;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/// Numbers of another form into float and double, where they are exactly the same number. A NaN
/// stays a NaN.
final class FloatConverter implements ColumnConverter {
  private static final int FLOAT_DIGITS = 24;
  private static final int DOUBLE_DIGITS = 53;

  private final Site site;
  private final int inBytes;
  private final @Nullable WordSource whole;
  private final boolean toFloat;

  private FloatConverter(Site site, int inBytes, @Nullable WordSource whole, boolean toFloat) {
    this.site = site;
    this.inBytes = inBytes;
    this.whole = whole;
    this.toFloat = toFloat;
  }

  /// From floating point numbers of 2, 4 or 8 bytes.
  static FloatConverter fromFloats(Site site, int inBytes, boolean toFloat) {
    return new FloatConverter(site, inBytes, null, toFloat);
  }

  /// From whole numbers.
  static FloatConverter fromWhole(Site site, WordSource whole, boolean toFloat) {
    return new FloatConverter(site, whole.bytes(), whole, toFloat);
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    NullMap nulls = NullMap.of(in, slots, site, run);
    run.checkNulls(site, slots, nulls);
    ArrowBuf data = in.getDataBuffer();
    run.checkCapacity(site, data, 8L * inBytes, slots, nulls);
    int outBytes = toFloat ? Float.BYTES : Double.BYTES;
    try (ArrowBuf validity = nulls.toBuffer(run);
        ArrowBuf values = run.buffer((long) outBytes * Math.max(1, slots.count()))) {
      long address = data.memoryAddress();
      long target = values.memoryAddress();
      for (int i = 0; i < slots.count(); i++) {
        double value = nulls.isNull(i) ? 0 : read(address, slots, i, run);
        if (toFloat) {
          MemoryUtil.putInt(target + 4L * i, Float.floatToRawIntBits((float) value));
        } else {
          MemoryUtil.putLong(target + 8L * i, Double.doubleToRawLongBits(value));
        }
      }
      run.load(out, slots.count(), nulls.nullCount(), List.of(validity, values));
    }
  }

  private double read(long address, Slots slots, int slot, Conversion run) {
    int at = slots.at(slot);
    if (whole != null) {
      return readWhole(whole, address, slots, slot, run);
    }
    double value =
        switch (inBytes) {
          case 2 -> Float16.toFloat(MemoryUtil.getShort(address + 2L * at));
          case 4 -> Float.intBitsToFloat(MemoryUtil.getInt(address + 4L * at));
          default -> Double.longBitsToDouble(MemoryUtil.getLong(address + 8L * at));
        };
    if (toFloat && !Double.isNaN(value) && (float) value != value) {
      inexact(slots, slot, Double.toString(value), run);
    }
    return value;
  }

  private double readWhole(WordSource form, long address, Slots slots, int slot, Conversion run) {
    long value = form.read(address, slots.at(slot));
    boolean beyondSigned = form == WordSource.UINT64 && value < 0;
    long magnitude = beyondSigned ? value : Math.abs(value);
    int digits =
        Long.SIZE - Long.numberOfLeadingZeros(magnitude) - Long.numberOfTrailingZeros(magnitude);
    if (magnitude != 0 && digits > (toFloat ? FLOAT_DIGITS : DOUBLE_DIGITS)) {
      inexact(slots, slot, form.text(value), run);
    }
    // Halved with the lost bit kept, so that rounding, if there is any, is as of the whole number.
    return beyondSigned ? (double) (value >>> 1 | value & 1) * 2 : (double) value;
  }

  private void inexact(Slots slots, int slot, String value, Conversion run) {
    run.bad(
        site,
        slots,
        slot,
        Rule.PRECISION_LOSS,
        i -> value,
        "value is not exactly a " + site.type() + "; nothing is rounded silently");
  }
}
