package io.icewal.parquet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.iceberg.FieldMetrics;

/// Bounds of a UUID column over a whole file.
///
/// Iceberg 1.11 compares UUIDs as pairs of signed numbers, where Parquet, we and others compare
/// unsigned bytes; its readers would leave out files by bounds of the other order. So a file has
/// bounds only if both orders are the same for its values, which is when all of them have the same
/// sign in either half. Else there is no bound that a reader could go wrong by.
final class UuidMetrics {
  static final int BYTES = 16;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private boolean empty = true;
  private boolean mixed;
  private long minHigh;
  private long minLow;
  private long maxHigh;
  private long maxLow;

  /// Adds the values that lie one after the other between the two places.
  void add(byte[] bytes, int from, int to) {
    for (int at = from; at < to; at += BYTES) {
      add((long) LONGS.get(bytes, at), (long) LONGS.get(bytes, at + Long.BYTES));
    }
  }

  private void add(long high, long low) {
    if (empty) {
      empty = false;
      minHigh = high;
      minLow = low;
      maxHigh = high;
      maxLow = low;
      return;
    }
    mixed |= ((high ^ minHigh) | (low ^ minLow)) < 0;
    if (high < minHigh || (high == minHigh && low < minLow)) {
      minHigh = high;
      minLow = low;
    }
    if (high > maxHigh || (high == maxHigh && low > maxLow)) {
      maxHigh = high;
      maxLow = low;
    }
  }

  FieldMetrics<ByteBuffer> metrics(int fieldId, long values, long nulls) {
    return empty || mixed
        ? new FieldMetrics<>(fieldId, values, nulls)
        : new FieldMetrics<>(
            fieldId, values, nulls, value(minHigh, minLow), value(maxHigh, maxLow));
  }

  /// To what reads the footer, the column is of 16 fixed bytes.
  private static ByteBuffer value(long high, long low) {
    return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).flip();
  }
}
