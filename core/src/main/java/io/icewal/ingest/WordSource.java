package io.icewal.ingest;

import org.apache.arrow.memory.util.MemoryUtil;

/// The fixed-width forms that a whole number, or anything stored as one, comes in.
enum WordSource {
  INT8(1, false),
  INT16(2, false),
  INT32(4, false),
  INT64(8, false),
  UINT8(1, true),
  UINT16(2, true),
  UINT32(4, true),
  /// Read as the signed number of the same bits: values from 2^63 on are negative.
  UINT64(8, true);

  private final int bytes;
  private final boolean unsigned;

  WordSource(int bytes, boolean unsigned) {
    this.bytes = bytes;
    this.unsigned = unsigned;
  }

  static WordSource of(int bits, boolean signed) {
    return switch (bits) {
      case 8 -> signed ? INT8 : UINT8;
      case 16 -> signed ? INT16 : UINT16;
      case 32 -> signed ? INT32 : UINT32;
      case 64 -> signed ? INT64 : UINT64;
      default -> throw new IllegalArgumentException("no integers of " + bits + " bits");
    };
  }

  int bytes() {
    return bytes;
  }

  /// A value as the sender sees it.
  String text(long value) {
    return unsigned ? Long.toUnsignedString(value) : Long.toString(value);
  }

  /// One value, widened.
  long read(long address, int index) {
    return switch (this) {
      case INT8 -> MemoryUtil.getByte(address + index);
      case INT16 -> MemoryUtil.getShort(address + 2L * index);
      case INT32 -> MemoryUtil.getInt(address + 4L * index);
      case INT64, UINT64 -> MemoryUtil.getLong(address + 8L * index);
      case UINT8 -> MemoryUtil.getByte(address + index) & 0xFFL;
      case UINT16 -> MemoryUtil.getShort(address + 2L * index) & 0xFFFFL;
      case UINT32 -> MemoryUtil.getInt(address + 4L * index) & 0xFFFF_FFFFL;
    };
  }

  /// Reads the slots from `from` on into the array, widened; null slots read as 0.
  void read(long address, Slots slots, NullMap nulls, int from, int length, long[] values) {
    if (slots.isRange()) {
      readRange(address, slots.first() + from, length, values);
    } else {
      for (int i = 0; i < length; i++) {
        int at = slots.at(from + i);
        values[i] = at < 0 ? 0 : read(address, at);
      }
    }
    if (nulls.nullCount() > 0) {
      for (int i = 0; i < length; i++) {
        if (nulls.isNull(from + i)) {
          values[i] = 0;
        }
      }
    }
  }

  private void readRange(long address, int first, int length, long[] values) {
    long start = address + (long) bytes * first;
    switch (this) {
      case INT8 -> {
        for (int i = 0; i < length; i++) {
          values[i] = MemoryUtil.getByte(start + i);
        }
      }
      case INT16 -> {
        for (int i = 0; i < length; i++) {
          values[i] = MemoryUtil.getShort(start + 2L * i);
        }
      }
      case INT32 -> {
        for (int i = 0; i < length; i++) {
          values[i] = MemoryUtil.getInt(start + 4L * i);
        }
      }
      case INT64, UINT64 -> {
        for (int i = 0; i < length; i++) {
          values[i] = MemoryUtil.getLong(start + 8L * i);
        }
      }
      default -> {
        for (int i = 0; i < length; i++) {
          values[i] = read(start, i);
        }
      }
    }
  }
}
