package io.icewal.parquet;

import java.util.Arrays;

/// Decodes Parquet's hybrid of runs and bit-packed groups: levels and dictionary ids.
final class HybridDecoder {
  private static final int GROUP = 8;

  private final byte[] bytes;
  private final int end;
  private final int width;
  private int position;
  private int runLeft;
  private int runValue;
  private long packedBit;
  private int packedLeft;

  HybridDecoder(byte[] bytes, int start, int end, int width) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
    this.width = width;
  }

  /// The length of the run of one value that comes next, 0 if what comes next is not a run.
  int runLength() {
    load();
    return runLeft;
  }

  int runValue() {
    return runValue;
  }

  void read(int[] out, int count) {
    int done = 0;
    while (done < count) {
      load();
      int step = Math.min(count - done, runLeft > 0 ? runLeft : packedLeft);
      if (runLeft > 0) {
        Arrays.fill(out, done, done + step, runValue);
        runLeft -= step;
      } else {
        unpack(out, done, step);
        packedLeft -= step;
      }
      done += step;
    }
  }

  private void load() {
    while (runLeft == 0 && packedLeft == 0) {
      if (width == 0) {
        runLeft = Integer.MAX_VALUE;
        return;
      }
      int header = varint();
      if ((header & 1) == 0) {
        runLeft = header >>> 1;
        runValue = 0;
        for (int b = 0; b < (width + 7) / Byte.SIZE; b++) {
          runValue |= (bytes[position++] & 0xFF) << (Byte.SIZE * b);
        }
      } else {
        packedLeft = (header >>> 1) * GROUP;
        packedBit = (long) position * Byte.SIZE;
        position += (header >>> 1) * width;
      }
    }
  }

  private int varint() {
    int value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = bytes[position++];
      value |= (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }

  private void unpack(int[] out, int from, int count) {
    long mask = (1L << width) - 1;
    for (int i = 0; i < count; i++) {
      int at = (int) (packedBit >>> 3);
      // The last group may be cut short where its padding would lie.
      long word =
          at + Long.BYTES <= bytes.length ? (long) PageBuffer.LONGS.get(bytes, at) : lastWord(at);
      out[from + i] = (int) ((word >>> (packedBit & 7)) & mask);
      packedBit += width;
    }
  }

  private long lastWord(int at) {
    long word = 0;
    for (int b = 0; b < Long.BYTES && at + b < end; b++) {
      word |= (bytes[at + b] & 0xFFL) << (Byte.SIZE * b);
    }
    return word;
  }
}
