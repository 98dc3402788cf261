package io.icewal.wal;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Where the bytes of a block are.
///
/// @param place the kind of object
/// @param object the object's key below the log root
/// @param id the UUID that each part begins with: another one there means another object
/// @param keys the key columns and `_op`; null if the block has none (no rows, or no key)
/// @param rest the other columns; null if the block has none
public record BlockLocation(
    Place place, String object, UUID id, @Nullable Part keys, @Nullable Part rest) {

  /// The kind of object that holds a block.
  public enum Place {
    /// The segment of the block itself.
    SEGMENT,
    /// An object of copies, written by trimming.
    PARKED,
    /// An object written before the segment that refers to it.
    STAGED
  }

  /// One frame with its UUID in front.
  ///
  /// @param offset in the object
  /// @param length in the object, the UUID included
  /// @param rawLength of the Arrow IPC stream once decompressed
  /// @param crc32c of the bytes in the object, the UUID included
  public record Part(long offset, int length, int rawLength, int crc32c) {}

  /// The parts that it has, in order.
  public List<Part> parts() {
    return Stream.of(keys, rest).flatMap(Stream::ofNullable).toList();
  }

  /// Bytes in the object.
  public long storedBytes() {
    return (keys == null ? 0L : keys.length()) + (rest == null ? 0L : rest.length());
  }

  /// Bytes of Arrow data once decompressed: what reading all of it takes in memory.
  public long rawBytes() {
    return (keys == null ? 0L : keys.rawLength()) + (rest == null ? 0L : rest.rawLength());
  }
}
