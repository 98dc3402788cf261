package io.icewal.ingest;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.complex.NonNullableStructVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.UnionVector;
import org.jspecify.annotations.Nullable;

/// Which slots are null: because the input's value is, or because the slot says so. Immutable.
final class NullMap {
  private final int count;
  private final int nullCount;
  private final long @Nullable [] validWords;

  private NullMap(int count, int nullCount, long @Nullable [] validWords) {
    this.count = count;
    this.nullCount = nullCount;
    this.validWords = nullCount == 0 ? null : validWords;
  }

  /// Looks at the input's validity bits.
  ///
  /// @throws BatchRefused if the input is shorter than the slots need
  static NullMap of(FieldVector in, Slots slots, Site site, Conversion run) {
    if (slots.count() > 0 && in.getValueCount() < slots.limit()) {
      throw run.malformed(site, "holds " + in.getValueCount() + " values, needs " + slots.limit());
    }
    ArrowBuf bits = validity(in);
    if (bits != null && bits.capacity() * 8 < slots.limit()) {
      throw run.malformed(
          site, "has " + bits.capacity() + " validity bytes for " + slots.limit() + " values");
    }
    if (bits == null && slots.isRange()) {
      return new NullMap(slots.count(), 0, null);
    }
    run.chargeHeap(slots.count() / 8);
    return bits != null && slots.isPrefix() ? copy(bits, slots.count()) : gather(bits, slots);
  }

  int nullCount() {
    return nullCount;
  }

  boolean isNull(int slot) {
    return validWords != null && (validWords[slot >> 6] >>> slot & 1) == 0;
  }

  /// Null when no slot is.
  long @Nullable [] validWords() {
    return validWords;
  }

  /// A validity buffer for a vector of these slots; the empty buffer when it is not needed because
  /// all slots are null or none is. The caller releases it.
  ArrowBuf toBuffer(Conversion run) {
    if (validWords == null || nullCount == count) {
      return run.emptyBuffer();
    }
    ArrowBuf buffer = run.buffer(8L * validWords.length);
    for (int i = 0; i < validWords.length; i++) {
      buffer.setLong(8L * i, validWords[i]);
    }
    return buffer;
  }

  private static @Nullable ArrowBuf validity(FieldVector in) {
    if (in instanceof NullVector
        || in instanceof UnionVector
        || in instanceof RunEndEncodedVector
        || (in instanceof NonNullableStructVector && !(in instanceof StructVector))) {
      return null;
    }
    ArrowBuf bits = in.getValidityBuffer();
    return bits.capacity() == 0 ? null : bits;
  }

  private static NullMap copy(ArrowBuf bits, int count) {
    long address = bits.memoryAddress();
    int words = (count + 63) >> 6;
    long[] valid = new long[words];
    int validCount = 0;
    for (int i = 0; i < words; i++) {
      int left = count - (i << 6);
      long word = left >= 64 ? MemoryUtil.getLong(address + 8L * i) : tail(address + 8L * i, left);
      valid[i] = word;
      validCount += Long.bitCount(word);
    }
    return new NullMap(count, count - validCount, valid);
  }

  /// The last, partial word: bytes beyond the value count may not exist, bits beyond it may be set.
  private static long tail(long address, int bits) {
    long word = 0;
    for (int i = 0; i < (bits + 7) / 8; i++) {
      word |= (MemoryUtil.getByte(address + i) & 0xFFL) << (8 * i);
    }
    return word & ((1L << bits) - 1);
  }

  private static NullMap gather(@Nullable ArrowBuf bits, Slots slots) {
    int count = slots.count();
    long address = bits == null ? 0 : bits.memoryAddress();
    long[] valid = new long[(count + 63) >> 6];
    int nullCount = count;
    for (int i = 0; i < count; i++) {
      int at = slots.at(i);
      if (at >= 0
          && (bits == null || (MemoryUtil.getByte(address + (at >> 3)) >> (at & 7) & 1) == 1)) {
        valid[i >> 6] |= 1L << i;
        nullCount--;
      }
    }
    return new NullMap(count, nullCount, valid);
  }
}
