package io.icewal.materialize;

import java.nio.ByteBuffer;

/// A sorted run that travels: rows of some consecutive blocks whose keys are in one range.
///
/// @param number of the blocks: runs of later blocks have higher ones
/// @param keys see [Run]
/// @param rows see [Run]
public record RunBytes(int number, byte[] keys, byte[] rows) {
  /// The form in which it travels.
  public byte[] toBytes() {
    return ByteBuffer.allocate(2 * Integer.BYTES + keys.length + rows.length)
        .putInt(number)
        .putInt(keys.length)
        .put(keys)
        .put(rows)
        .array();
  }

  /// Reads the form of [#toBytes].
  public static RunBytes fromBytes(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    int number = in.getInt();
    byte[] keys = new byte[in.getInt()];
    in.get(keys);
    byte[] rows = new byte[in.remaining()];
    in.get(rows);
    return new RunBytes(number, keys, rows);
  }
}
