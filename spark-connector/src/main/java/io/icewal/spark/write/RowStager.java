package io.icewal.spark.write;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.model.BadValue;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.PartitionRanges;
import io.icewal.model.RequiredFields;
import io.icewal.model.RowBatch;
import io.icewal.model.Rule;
import io.icewal.spark.services.Warehouse;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementTable;
import io.icewal.wal.BlockHeader;
import io.icewal.wal.Staging;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.InternalRow;

/// Collects rows of one kind and stages them as blocks. Used by one thread; owns its buffers.
final class RowStager implements AutoCloseable {
  /// Rows in memory, and in one block: a few requests for each hundred megabytes.
  private static final long BLOCK_BYTES = 32L << 20;

  private static final int BATCH_ROWS = 8192;

  private final BlockHeader header;
  private final KeyColumns key;
  private final boolean tellsKeys;
  private final RequiredFields required;
  private final PartitionRanges partitions;
  private final Staging staging;
  private final BufferAllocator allocator;
  private final List<VectorWriter> columns = new ArrayList<>();
  private final List<RowBatch> waiting = new ArrayList<>();
  private final List<KeyVector> waitingKeys = new ArrayList<>();
  private final List<byte[]> staged = new ArrayList<>();
  private int rows;

  /// @param tellsKeys whether blocks tell the keys of their rows: who publishes a statement that
  ///   has read needs them, all others save the room
  RowStager(StatementTable table, BlockKind kind, boolean tellsKeys, Warehouse warehouse) {
    this.header = table.header(kind);
    this.key = KeyColumns.of(header.columns());
    this.tellsKeys = tellsKeys && !key.isEmpty();
    this.required = new RequiredFields(key.fieldIds());
    this.partitions = table.partitionRanges();
    this.staging =
        new Staging(
            warehouse.root(), table.readPosition().log(), warehouse.random(), warehouse.executor());
    this.allocator = warehouse.allocator().newChildAllocator("staging", 0, Long.MAX_VALUE);
  }

  /// @param row the header's columns, in their order
  void add(InternalRow row) {
    if (columns.isEmpty()) {
      for (NestedField column : header.columns().columns()) {
        columns.add(VectorWriter.of(column, allocator));
      }
    }
    try {
      for (int i = 0; i < columns.size(); i++) {
        columns.get(i).write(row, i, rows);
      }
    } catch (BadValue e) {
      throw refusal(e);
    }
    rows++;
    if (rows == BATCH_ROWS) {
      endBatch();
    }
  }

  private void endBatch() {
    if (rows == 0) {
      return;
    }
    List<FieldVector> vectors = columns.stream().map(VectorWriter::vector).toList();
    for (FieldVector vector : vectors) {
      vector.setValueCount(rows);
      try {
        required.check(vector);
      } catch (BadValue e) {
        throw refusal(e);
      }
    }
    checkPartitions(vectors);
    VectorSchemaRoot root =
        new VectorSchemaRoot(vectors.stream().map(FieldVector::getField).toList(), vectors, rows);
    if (tellsKeys) {
      waitingKeys.add(key.encode(root));
    }
    waiting.add(new RowBatch(header.kind(), root, null));
    columns.clear();
    rows = 0;
    if (allocator.getAllocatedMemory() >= BLOCK_BYTES) {
      stage();
    }
  }

  /// Rows that only delete are written into no partition.
  private void checkPartitions(List<FieldVector> vectors) {
    if (header.kind() != BlockKind.DELETE) {
      partitions.check(
          vectors,
          rows,
          (source, vector, row) -> {
            throw refusal(
                new BadValue(
                    Rule.PARTITION,
                    source.name(),
                    PartitionRanges.text(vector, row) + ": " + source.range().message()));
          });
    }
  }

  private IcewalException refusal(BadValue bad) {
    return new IcewalException(
        ErrorKind.INVALID,
        "table "
            + header.tableName()
            + ", column "
            + bad.path()
            + ", rule "
            + bad.rule().text()
            + ": "
            + bad.reason(),
        bad);
  }

  private void stage() {
    if (!waiting.isEmpty()) {
      StagedRows block =
          StagedRows.of(staging.stage(header, waiting), KeyVector.concat(waitingKeys));
      staged.add(block.toBytes());
      closeWaiting();
    }
  }

  /// Stages what is left.
  ///
  /// @return all blocks, in the bytes of [StagedRows]
  List<byte[]> finish() {
    endBatch();
    stage();
    return List.copyOf(staged);
  }

  private void closeWaiting() {
    waiting.forEach(RowBatch::close);
    waiting.clear();
    waitingKeys.clear();
  }

  @Override
  public void close() {
    closeWaiting();
    columns.forEach(column -> column.vector().close());
    columns.clear();
    allocator.close();
  }
}
