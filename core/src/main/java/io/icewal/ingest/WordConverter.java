package io.icewal.ingest;

import io.icewal.model.Rule;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;

/// Whole numbers and whatever is stored as one, in 4 or 8 bytes: int, long, date, time, all
/// timestamps, and the unchanged bits of float and double.
///
/// Values go through a scratch array in chunks: read and widen, check, scale, write. Each of these
/// is a plain loop. A vector in canonical form already is checked, if there is anything to check,
/// and shared.
final class WordConverter implements ColumnConverter {
  private static final int CHUNK = 1024;

  private final Site site;
  private final WordSource source;
  private final WordRule rule;
  private final int outBytes;
  private final String unit;

  /// @param outBytes 4 or 8
  /// @param unit the sender's unit, appended to values in verdicts, such as ` ns`; may be empty
  WordConverter(Site site, WordSource source, WordRule rule, int outBytes, String unit) {
    this.site = site;
    this.source = source;
    this.rule = rule;
    this.outBytes = outBytes;
    this.unit = unit;
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    NullMap nulls = NullMap.of(in, slots, site, run);
    run.checkNulls(site, slots, nulls);
    ArrowBuf data = in.getDataBuffer();
    run.checkCapacity(site, data, 8L * source.bytes(), slots, nulls);
    boolean shared =
        source.bytes() == outBytes
            && !rule.changesValues()
            && slots.isPrefix()
            && data.capacity() >= (long) outBytes * slots.count()
            && run.canShare(data);
    long bytes = (long) outBytes * Math.max(1, slots.count());
    try (ArrowBuf validity = nulls.toBuffer(run);
        ArrowBuf values = shared ? run.emptyBuffer() : run.buffer(bytes)) {
      if (!shared || rule.hasRange()) {
        convert(data.memoryAddress(), slots, nulls, shared ? 0 : values.memoryAddress(), run);
      }
      run.load(out, slots.count(), nulls.nullCount(), List.of(validity, shared ? data : values));
    }
  }

  /// @param target where to write, or 0 to check only
  private void convert(long address, Slots slots, NullMap nulls, long target, Conversion run) {
    long[] values = new long[Math.min(CHUNK, slots.count())];
    for (int from = 0; from < slots.count(); from += CHUNK) {
      int length = Math.min(CHUNK, slots.count() - from);
      if (nulls.nullCount() < slots.count()) {
        source.read(address, slots, nulls, from, length, values);
      }
      check(values, slots, nulls, from, length, run);
      if (target != 0) {
        scale(values, length);
        write(values, length, target + (long) outBytes * from);
      }
    }
  }

  private void check(
      long[] values, Slots slots, NullMap nulls, int from, int length, Conversion run) {
    boolean bad = false;
    for (int i = 0; i < length; i++) {
      bad |= values[i] < rule.min() | values[i] > rule.max();
    }
    if (rule.divisor() != 1) {
      for (int i = 0; i < length; i++) {
        bad |= values[i] % rule.divisor() != 0;
      }
    }
    if (!bad) {
      return;
    }
    for (int i = 0; i < length; i++) {
      if (!nulls.isNull(from + i)) {
        judge(values[i], slots, from + i, run);
      }
    }
  }

  private void judge(long value, Slots slots, int slot, Conversion run) {
    if (value < rule.min() || value > rule.max()) {
      run.bad(
          site,
          slots,
          slot,
          Rule.OUT_OF_RANGE,
          i -> source.text(value) + unit,
          Rule.rangeMessage(site.type().toString(), rule.range()));
    } else if (value % rule.divisor() != 0) {
      run.bad(
          site,
          slots,
          slot,
          Rule.PRECISION_LOSS,
          i -> source.text(value) + unit,
          "value has more precision than " + site.type() + " keeps; nothing is cut off silently");
    }
  }

  private void scale(long[] values, int length) {
    if (rule.multiplier() != 1) {
      for (int i = 0; i < length; i++) {
        values[i] *= rule.multiplier();
      }
    } else if (rule.divisor() != 1) {
      for (int i = 0; i < length; i++) {
        values[i] /= rule.divisor();
      }
    }
  }

  private void write(long[] values, int length, long target) {
    if (outBytes == Long.BYTES) {
      for (int i = 0; i < length; i++) {
        MemoryUtil.putLong(target + 8L * i, values[i]);
      }
    } else {
      for (int i = 0; i < length; i++) {
        MemoryUtil.putInt(target + 4L * i, (int) values[i]);
      }
    }
  }
}
