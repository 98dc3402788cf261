package io.icewal.parquet;

import java.nio.ByteBuffer;

/// The bytes of a page's values and how far they are read.
final class PageInput {
  final byte[] bytes;
  final int end;
  int position;

  /// Bits read of the byte at [#position], for booleans.
  int bit;

  PageInput(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  static PageInput of(ByteBuffer buffer) {
    if (buffer.hasArray()) {
      int start = buffer.arrayOffset() + buffer.position();
      return new PageInput(buffer.array(), start, start + buffer.remaining());
    }
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return new PageInput(bytes, 0, bytes.length);
  }

  /// Moves on over `count` bytes and returns where they start.
  int take(long count) {
    if (count < 0 || position + count > end) {
      throw new IllegalStateException(
          "page ends " + (position + count - end) + " bytes before its last value");
    }
    int start = position;
    position += (int) count;
    return start;
  }

  int takeInt() {
    return (int) PageBuffer.INTS.get(bytes, take(Integer.BYTES));
  }
}
