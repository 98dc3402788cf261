package io.icewal.ingest;

import org.apache.arrow.memory.util.MemoryUtil;

/// Whether bytes in memory are well-formed UTF-8: no overlong forms, no surrogates, nothing above
/// U+10FFFF.
final class Utf8 {
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  private Utf8() {}

  /// Eight bytes at a time; four words are gathered before the one branch.
  static boolean isAscii(long address, long length) {
    long at = address;
    long end = address + length;
    for (; at + 32 <= end; at += 32) {
      long bits =
          MemoryUtil.getLong(at)
              | MemoryUtil.getLong(at + 8)
              | MemoryUtil.getLong(at + 16)
              | MemoryUtil.getLong(at + 24);
      if ((bits & HIGH_BITS) != 0) {
        return false;
      }
    }
    long bits = 0;
    for (; at + 8 <= end; at += 8) {
      bits |= MemoryUtil.getLong(at);
    }
    for (; at < end; at++) {
      bits |= MemoryUtil.getByte(at) & 0x80;
    }
    return (bits & HIGH_BITS) == 0;
  }

  static boolean isValid(long address, long length) {
    long at = address;
    long end = address + length;
    while (at < end) {
      if (at + 8 <= end && (MemoryUtil.getLong(at) & HIGH_BITS) == 0) {
        at += 8;
      } else if (MemoryUtil.getByte(at) >= 0) {
        at++;
      } else {
        int size = sequence(at, end);
        if (size == 0) {
          return false;
        }
        at += size;
      }
    }
    return true;
  }

  /// Length of the multi-byte sequence at the address, or 0 if there is none.
  private static int sequence(long at, long end) {
    int lead = MemoryUtil.getByte(at) & 0xFF;
    if (lead < 0xC2 || lead > 0xF4) {
      return 0;
    }
    int size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (at + size > end) {
      return 0;
    }
    // The second byte's range depends on the lead: that alone rules out overlong forms, surrogates
    // and what lies above U+10FFFF.
    int low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    int high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    int second = MemoryUtil.getByte(at + 1) & 0xFF;
    if (second < low || second > high) {
      return 0;
    }
    for (int i = 2; i < size; i++) {
      if ((MemoryUtil.getByte(at + i) & 0xC0) != 0x80) {
        return 0;
      }
    }
    return size;
  }
}
