package io.icewal.trino.write;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.model.BlockKind;
import io.icewal.model.RowBatch;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementTable;
import io.icewal.wal.BlockHeader;
import io.icewal.wal.Staging;
import io.trino.spi.block.Block;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/// Collects rows of one kind and stages them as blocks. Used by one thread; owns its buffers.
final class BlockStager implements AutoCloseable {
  /// Rows in memory, and in one block: a few requests for each hundred megabytes.
  private static final long BLOCK_BYTES = 32L << 20;

  private final BlockHeader header;
  private final KeyColumns key;
  private final boolean tellsKeys;
  private final RowCheck check;
  private final Staging staging;
  private final BufferAllocator allocator;
  private final List<RowBatch> waiting = new ArrayList<>();
  private final List<KeyVector> waitingKeys = new ArrayList<>();
  private final List<Slice> fragments = new ArrayList<>();
  private long storedBytes;

  /// @param tellsKeys whether fragments tell the keys of their rows: who publishes a statement that
  ///   has read needs them, all others save the room
  /// @param allocator for this alone
  BlockStager(
      StatementTable table,
      BlockKind kind,
      boolean tellsKeys,
      Staging staging,
      BufferAllocator allocator) {
    this.header = table.header(kind);
    this.check = new RowCheck(header.columns(), table.partitionRanges());
    this.key = KeyColumns.of(header.columns());
    this.tellsKeys = tellsKeys && !key.isEmpty();
    this.staging = staging;
    this.allocator = allocator;
  }

  /// @param columns the header's columns, in their order
  void add(int rows, List<Block> columns, List<Type> types) {
    if (rows == 0) {
      return;
    }
    RowCheck.Rows given = new RowCheck.Rows(rows, columns, types);
    List<FieldVector> vectors = check.convert(given, allocator);
    try {
      // Rows that only delete are written into no partition.
      if (header.kind() != BlockKind.DELETE) {
        check.checkPartitions(vectors, given);
      }
      VectorSchemaRoot root =
          new VectorSchemaRoot(vectors.stream().map(FieldVector::getField).toList(), vectors, rows);
      if (tellsKeys) {
        waitingKeys.add(key.encode(root));
      }
      waiting.add(new RowBatch(header.kind(), root, null));
    } catch (RuntimeException | Error e) {
      vectors.forEach(FieldVector::close);
      throw e;
    }
    if (allocator.getAllocatedMemory() >= BLOCK_BYTES) {
      stage();
    }
  }

  private void stage() {
    if (waiting.isEmpty()) {
      return;
    }
    StagedRows staged =
        StagedRows.of(staging.stage(header, waiting), KeyVector.concat(waitingKeys));
    fragments.add(Slices.wrappedBuffer(staged.toBytes()));
    storedBytes += staged.block().location().storedBytes();
    closeWaiting();
  }

  /// Stages what is left.
  ///
  /// @return a fragment for each block
  List<Slice> finish() {
    stage();
    return fragments;
  }

  long storedBytes() {
    return storedBytes;
  }

  long memoryBytes() {
    return allocator.getAllocatedMemory();
  }

  private void closeWaiting() {
    waiting.forEach(RowBatch::close);
    waiting.clear();
    waitingKeys.clear();
  }

  @Override
  public void close() {
    closeWaiting();
    allocator.close();
  }
}
