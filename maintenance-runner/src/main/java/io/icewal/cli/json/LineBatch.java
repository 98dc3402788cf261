package io.icewal.cli.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Some consecutive lines of a file. Blank lines count as lines but are no rows.
///
/// Written by [NdjsonSource] alone, and unchanging once handed out.
public final class LineBatch {
  private final long sequence;
  private byte[] bytes;
  private int used;
  private int[] starts = new int[1024];
  private int[] ends = new int[1024];
  private long[] numbers = new long[1024];
  private int count;

  /// @param sizeHint how large it will probably be
  LineBatch(long sequence, int sizeHint) {
    this.sequence = sequence;
    this.bytes = new byte[sizeHint];
  }

  /// Appends bytes to the line that is being read.
  void append(byte[] from, int offset, int length) {
    if (bytes.length - used < length) {
      bytes =
          Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8, (used + (long) length) * 2));
    }
    System.arraycopy(from, offset, bytes, used, length);
    used += length;
  }

  /// Ends the line that began at `start`; a blank one is dropped.
  void endLine(int start, long number) {
    int from = start;
    int to = used;
    while (from < to && isBlank(bytes[from])) {
      from++;
    }
    while (from < to && isBlank(bytes[to - 1])) {
      to--;
    }
    if (from == to) {
      used = start;
      return;
    }
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
      ends = Arrays.copyOf(ends, count * 2);
      numbers = Arrays.copyOf(numbers, count * 2);
    }
    starts[count] = from;
    ends[count] = to;
    numbers[count++] = number;
  }

  int used() {
    return used;
  }

  /// The number of this batch within its source, from 0.
  public long sequence() {
    return sequence;
  }

  public int count() {
    return count;
  }

  /// Size of the lines in bytes.
  public long size() {
    return used;
  }

  /// The line's number in the file, from 1.
  public long number(int line) {
    return numbers[line];
  }

  public String text(int line) {
    return new String(bytes, starts[line], ends[line] - starts[line], StandardCharsets.UTF_8);
  }

  byte[] bytes() {
    return bytes;
  }

  int start(int line) {
    return starts[line];
  }

  int length(int line) {
    return ends[line] - starts[line];
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t' || b == '\r';
  }
}
