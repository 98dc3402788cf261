package io.icewal.parquet;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;

/// Addresses within Arrow vectors, checked once per call instead of once per value.
final class VectorMemory {
  private VectorMemory() {}

  /// Address of the values of a fixed width vector, of which the first `count` can be read.
  static long values(FieldVector vector, int count, int width) {
    return address(vector.getDataBuffer(), (long) count * width);
  }

  /// Address of the `count + 1` offsets of a vector with 32 bit offsets.
  static long offsets(FieldVector vector, int count) {
    return count == 0
        ? vector.getOffsetBuffer().memoryAddress()
        : address(vector.getOffsetBuffer(), (count + 1L) * Integer.BYTES);
  }

  /// Address of a buffer of which the first `bytes` can be read or written.
  static long address(ArrowBuf buffer, long bytes) {
    if (bytes > buffer.capacity()) {
      throw new IllegalArgumentException(
          "buffer of " + buffer.capacity() + " bytes holds no " + bytes);
    }
    return buffer.memoryAddress();
  }

  static boolean bit(long address, int index) {
    return (MemoryUtil.getByte(address + (index >>> 3)) >>> (index & 7) & 1) != 0;
  }

  static void setBit(long address, int index) {
    long at = address + (index >>> 3);
    MemoryUtil.putByte(at, (byte) (MemoryUtil.getByte(at) | 1 << (index & 7)));
  }
}
