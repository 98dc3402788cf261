package io.icewal.parquet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.arrow.memory.util.MemoryUtil;

/// Bytes of a page in the making, little-endian. Grows by doubling and keeps [#SLACK] readable
/// bytes behind its end, so that eight bytes can be read at any value's start.
final class PageBuffer {
  /// Readable bytes behind the end.
  static final int SLACK = 8;

  /// The largest array that every JVM can make.
  private static final int BYTES_MAX = Integer.MAX_VALUE - 64;

  /// Copies up to this length are faster word by word than as a call into the copy stub.
  private static final int SHORT_COPY_BYTES = 64;

  private static final int INITIAL_BYTES = 256;

  static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BIG_LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  byte[] bytes = new byte[INITIAL_BYTES];
  int size;

  /// Makes room for `more` bytes and the slack.
  void ensure(long more) {
    long needed = size + more + SLACK;
    if (needed > bytes.length) {
      if (needed > BYTES_MAX) {
        throw new IllegalStateException("a page cannot hold " + needed + " bytes");
      }
      long grown = Math.min(BYTES_MAX, Math.max(needed, 2L * bytes.length));
      bytes = Arrays.copyOf(bytes, (int) grown);
    }
  }

  void putInt(int value) {
    ensure(Integer.BYTES);
    INTS.set(bytes, size, value);
    size += Integer.BYTES;
  }

  void putLong(long value) {
    ensure(Long.BYTES);
    LONGS.set(bytes, size, value);
    size += Long.BYTES;
  }

  /// Appends bytes of native memory; the caller has checked that they are there.
  void putMemory(long address, int length) {
    ensure(length);
    if (length <= SHORT_COPY_BYTES) {
      copyShort(address, length);
    } else {
      MemoryUtil.copyFromMemory(address, bytes, size, length);
    }
    size += length;
  }

  private void copyShort(long address, int length) {
    int done = 0;
    for (; done + Long.BYTES <= length; done += Long.BYTES) {
      LONGS.set(bytes, size + done, MemoryUtil.getLong(address + done));
    }
    if (done + Integer.BYTES <= length) {
      INTS.set(bytes, size + done, MemoryUtil.getInt(address + done));
      done += Integer.BYTES;
    }
    for (; done < length; done++) {
      bytes[size + done] = MemoryUtil.getByte(address + done);
    }
  }

  /// The first eight bytes of a value as an unsigned number that orders like them, zero padded.
  static long prefix(byte[] bytes, int offset, int length) {
    long word = (long) BIG_LONGS.get(bytes, offset);
    return length >= Long.BYTES
        ? word
        : length == 0 ? 0 : word & (-1L << (Long.SIZE - Byte.SIZE * length));
  }

  /// Forgets the contents; gives a buffer back that one huge value had blown up.
  void reset(int keepBytes) {
    size = 0;
    if (bytes.length > 2L * keepBytes + SLACK) {
      bytes = new byte[INITIAL_BYTES];
    }
  }
}
