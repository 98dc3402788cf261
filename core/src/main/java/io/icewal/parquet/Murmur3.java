package io.icewal.parquet;

/// The 32 bit Murmur3 hash with seed 0 that Iceberg's bucket transform is defined by.
final class Murmur3 {
  private static final int C1 = 0xcc9e2d51;
  private static final int C2 = 0x1b873593;

  private Murmur3() {}

  /// Of the eight little-endian bytes of a number: ints, dates and times are hashed so, too.
  static int hash(long value) {
    int hash = mix(mix(0, (int) value), (int) (value >>> Integer.SIZE));
    return finish(hash, Long.BYTES);
  }

  static int hash(byte[] bytes, int offset, int length) {
    int hash = 0;
    int whole = length / Integer.BYTES * Integer.BYTES;
    for (int i = 0; i < whole; i += Integer.BYTES) {
      hash = mix(hash, (int) PageBuffer.INTS.get(bytes, offset + i));
    }
    int rest = 0;
    for (int i = length - 1; i >= whole; i--) {
      rest = rest << Byte.SIZE | bytes[offset + i] & 0xFF;
    }
    if (whole < length) {
      hash ^= scramble(rest);
    }
    return finish(hash, length);
  }

  private static int scramble(int word) {
    return Integer.rotateLeft(word * C1, 15) * C2;
  }

  private static int mix(int hash, int word) {
    return Integer.rotateLeft(hash ^ scramble(word), 13) * 5 + 0xe6546b64;
  }

  private static int finish(int start, int length) {
    int hash = start ^ length;
    hash = (hash ^ hash >>> 16) * 0x85ebca6b;
    hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
    return hash ^ hash >>> 16;
  }
}
