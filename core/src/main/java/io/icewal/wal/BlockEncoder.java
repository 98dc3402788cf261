package io.icewal.wal;

import io.icewal.model.BlockKind;
import io.icewal.model.RowBatch;
import io.icewal.wal.FrameEncoder.Frame;
import io.icewal.wal.SegmentBuilder.EncodedBlock;
import java.util.List;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// The two frames of a block: which column goes into which.
final class BlockEncoder {
  private BlockEncoder() {}

  static EncodedBlock encode(
      FrameEncoder encoder, BlockHeader header, List<RowBatch> rows, List<BatchEntry> entries) {
    try (SmallBatches together = SmallBatches.combine(rows)) {
      return encodeAll(encoder, header, together.batches(), entries);
    }
  }

  private static EncodedBlock encodeAll(
      FrameEncoder encoder, BlockHeader header, List<RowBatch> rows, List<BatchEntry> entries) {
    Frame keys = null;
    Frame rest = null;
    if (header.isKeyed()) {
      boolean ops = header.kind() == BlockKind.MIXED;
      keys = encoder.encode(header.keyColumns(), rows, ops);
      rest = restOf(encoder, header.restColumns(), rows);
    } else {
      rest = encoder.encode(header.columns().columns(), rows, false);
    }
    long count = rows.stream().mapToLong(RowBatch::rowCount).sum();
    return new EncodedBlock(header, count, entries, null, keys, rest);
  }

  private static @Nullable Frame restOf(
      FrameEncoder encoder, List<NestedField> columns, List<RowBatch> rows) {
    return columns.isEmpty() ? null : encoder.encode(columns, rows, false);
  }
}
