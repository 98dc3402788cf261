package io.icewal.wal;

import java.time.Instant;

/// A block whose bytes lie in an object of their own until a segment refers to it.
///
/// It travels from the task that staged it to the publisher as bytes ([#toBytes]).
///
/// @param header what its rows have in common
/// @param rows how many rows it has
/// @param location where its bytes are
/// @param stagedAt when the object was stored, by the store's clock
public record StagedBlock(BlockHeader header, long rows, BlockLocation location, Instant stagedAt) {

  /// A form to send between processes.
  public byte[] toBytes() {
    return FooterCodec.encodeStaged(this);
  }

  /// Reads the form of [#toBytes].
  public static StagedBlock fromBytes(byte[] bytes) {
    return FooterCodec.decodeStaged(bytes);
  }
}
