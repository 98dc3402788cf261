package io.icewal.wal;

import io.icewal.model.ProducerSequence;
import io.icewal.model.RowBatch;
import org.jspecify.annotations.Nullable;

/// One batch on its way into the log: rows in memory, staged bytes, or neither (TRUNCATE, FLUSH).
///
/// @param header what its rows have in common; consecutive batches of one table with equal headers
///   become one block
/// @param producer names the batch for ever, or null
/// @param rows the rows, exactly the header's columns by field id; read during the append, not
///   closed by it
/// @param staged bytes that are published by reference
public record AppendBatch(
    BlockHeader header,
    @Nullable ProducerSequence producer,
    @Nullable RowBatch rows,
    @Nullable StagedBlock staged) {
  public AppendBatch {
    if (header.hasRows() ? (rows == null) == (staged == null) : rows != null || staged != null) {
      throw new IllegalArgumentException(
          "a batch of kind " + header.kind() + " has rows or staged bytes if its kind has rows");
    }
    if (rows != null && rows.kind() != header.kind()) {
      throw new IllegalArgumentException(
          "rows of kind " + rows.kind() + " under a header of kind " + header.kind());
    }
    if (staged != null && !staged.header().equals(header)) {
      throw new IllegalArgumentException("a staged block keeps its own header");
    }
  }

  /// A batch of rows.
  public static AppendBatch ofRows(
      BlockHeader header, @Nullable ProducerSequence producer, RowBatch rows) {
    return new AppendBatch(header, producer, rows, null);
  }

  /// Staged bytes, published by reference.
  public static AppendBatch ofStaged(@Nullable ProducerSequence producer, StagedBlock staged) {
    return new AppendBatch(staged.header(), producer, null, staged);
  }

  /// A TRUNCATE or FLUSH.
  public static AppendBatch ofNoRows(BlockHeader header, @Nullable ProducerSequence producer) {
    return new AppendBatch(header, producer, null, null);
  }

  int rowCount() {
    return rows != null ? rows.rowCount() : staged != null ? Math.toIntExact(staged.rows()) : 0;
  }
}
