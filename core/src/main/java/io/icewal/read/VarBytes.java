package io.icewal.read;

import java.util.Arrays;

/// Bytes with numbers in them, seven bits a byte, lowest first. Written, or read, from front to
/// back by one thread.
final class VarBytes {
  private static final int START_BYTES = 1024;

  private byte[] bytes;
  private int at;

  /// To write.
  VarBytes() {
    this.bytes = new byte[START_BYTES];
  }

  /// To read.
  VarBytes(byte[] bytes) {
    this.bytes = bytes;
  }

  void put(long value) {
    reserve(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[at++] = (byte) rest;
  }

  void put(byte[] source, int from, int count) {
    reserve(count);
    System.arraycopy(source, from, bytes, at, count);
    at += count;
  }

  private void reserve(int count) {
    int need = Math.addExact(at, count);
    if (need > bytes.length) {
      int doubled = (int) Math.min(Integer.MAX_VALUE - 8, bytes.length * 2L);
      bytes = Arrays.copyOf(bytes, Math.max(need, doubled));
    }
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, at);
  }

  long next() {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = bytes[at++];
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }

  void next(byte[] target, int from, int count) {
    System.arraycopy(bytes, at, target, from, count);
    at += count;
  }
}
