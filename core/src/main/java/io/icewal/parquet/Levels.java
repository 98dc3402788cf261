package io.icewal.parquet;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder;

/// Repetition or definition levels of the page in the making, as runs. A page with one run (no
/// nulls, the usual one) is never fed value by value.
final class Levels {
  private static final int INITIAL_BYTES = 64;
  private static final int BYTES_MAX = 1 << 20;

  private final RunLengthBitPackingHybridEncoder encoder;
  private final int levelMax;
  private int runLevel;
  private int runLength;
  private int flushed;

  Levels(int levelMax) {
    this.levelMax = levelMax;
    this.encoder =
        new RunLengthBitPackingHybridEncoder(
            BytesUtils.getWidthFromMaxInt(levelMax),
            INITIAL_BYTES,
            BYTES_MAX,
            HeapByteBufferAllocator.getInstance());
  }

  void add(int level, int count) {
    if (level != runLevel && runLength > 0) {
      flushRun();
    }
    runLevel = level;
    runLength += count;
  }

  private void flushRun() {
    try {
      for (int i = 0; i < runLength; i++) {
        encoder.writeInt(runLevel);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    flushed += runLength;
    runLength = 0;
  }

  /// Levels since the last reset.
  int count() {
    return flushed + runLength;
  }

  /// The levels as they stand in a V1 page: length, then runs; nothing where there is one level.
  void writeTo(PageBuffer out) {
    if (levelMax == 0) {
      return;
    }
    if (flushed == 0) {
      writeOneRun(out);
      return;
    }
    flushRun();
    try {
      byte[] encoded = encoder.toBytes().toByteArray();
      out.putInt(encoded.length);
      append(out, encoded);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void writeOneRun(PageBuffer out) {
    int lengthAt = out.size;
    out.putInt(0);
    writeRun(out, runLevel, runLength, levelMax);
    PageBuffer.INTS.set(out.bytes, lengthAt, out.size - lengthAt - Integer.BYTES);
  }

  private static void writeRun(PageBuffer out, int level, int length, int levelMax) {
    try {
      append(out, BytesInput.fromUnsignedVarInt(length << 1).toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (int width = BytesUtils.getWidthFromMaxInt(levelMax); width > 0; width -= Byte.SIZE) {
      append(out, new byte[] {(byte) level});
    }
  }

  private static void append(PageBuffer out, byte[] bytes) {
    out.ensure(bytes.length);
    System.arraycopy(bytes, 0, out.bytes, out.size, bytes.length);
    out.size += bytes.length;
  }

  void reset() {
    encoder.reset();
    runLevel = 0;
    runLength = 0;
    flushed = 0;
  }
}
