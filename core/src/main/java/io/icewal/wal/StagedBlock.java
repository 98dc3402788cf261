package io.icewal.wal;

import io.icewal.model.LogName;
import java.time.Instant;
import java.util.List;

/// A block whose bytes lie in an object of their own until a segment refers to it.
///
/// It travels from the task that staged it to the publisher as bytes ([#toBytes]).
///
/// @param header what its rows have in common
/// @param rows how many rows it has
/// @param location where its bytes are
/// @param stagedAt when the object was stored, by the store's clock
public record StagedBlock(BlockHeader header, long rows, BlockLocation location, Instant stagedAt) {

  /// The block as readers of blocks take it, without a segment that refers to it: it has no place
  /// in the log, and its number is 0.
  ///
  /// @param log that it was staged for
  /// @param index its place among others that are read with it, from 0
  public BlockRef unpublished(LogName log, int index) {
    return new BlockRef(
        log,
        /* number= */ 0,
        index,
        location.id(),
        header,
        rows,
        location.storedBytes(),
        stagedAt,
        /* batches= */ List.of(),
        location);
  }

  /// A form to send between processes.
  public byte[] toBytes() {
    return FooterCodec.encodeStaged(this);
  }

  /// Reads the form of [#toBytes].
  public static StagedBlock fromBytes(byte[] bytes) {
    return FooterCodec.decodeStaged(bytes);
  }
}
