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
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.util.TransferPair;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.InternalRow;

/// Collects rows of one kind and stages them as blocks. Used by one thread; owns its buffers.
final class RowStager implements AutoCloseable {
  /// Rows in memory, and in one block: a few requests for each hundred megabytes.
  private static final long BLOCK_BYTES = 32L << 20;

  private static final int BATCH_ROWS = 8192;

  /// Memory is looked at each time after so many rows.
  private static final int LOOK_ROWS = 32;

  private static final int VALUE_CHARS_MAX = 100;
  private static final int ROW_CHARS_MAX = 400;

  private final BlockHeader header;
  private final KeyColumns key;
  private final boolean tellsKeys;
  private final RequiredFields required;
  private final PartitionRanges partitions;
  private final Staging staging;
  private final BufferAllocator allocator;

  /// The columns in the order in which they are written, those of the key first: whatever is bad in
  /// a row, it can be named.
  private final int[] order;

  private final int[] inOrder;

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
    this.order =
        IntStream.range(0, header.columns().columns().size())
            .boxed()
            .sorted(Comparator.comparing(i -> !isOfKey(i)))
            .mapToInt(Integer::intValue)
            .toArray();
    this.inOrder = IntStream.range(0, order.length).toArray();
    this.staging =
        new Staging(
            warehouse.root(), table.readPosition().log(), warehouse.random(), warehouse.executor());
    this.allocator = warehouse.allocator().newChildAllocator("staging", 0, Long.MAX_VALUE);
  }

  /// @param row the header's columns, in their order
  void add(InternalRow row) {
    add(row, inOrder);
  }

  /// @param ordinals where each of the header's columns is in the row
  void add(InternalRow row, int[] ordinals) {
    if (columns.isEmpty()) {
      for (NestedField column : header.columns().columns()) {
        columns.add(VectorWriter.of(column, allocator));
      }
    }
    int written = 0;
    try {
      for (int i : order) {
        columns.get(i).write(row, ordinals[i], rows);
        written++;
      }
    } catch (BadValue e) {
      throw refusal(e, rows, Arrays.copyOf(order, written));
    }
    rows++;
    boolean full = rows % LOOK_ROWS == 0 && allocator.getAllocatedMemory() >= BLOCK_BYTES;
    if (rows == BATCH_ROWS || full) {
      endBatch();
    }
  }

  private boolean isOfKey(int column) {
    int id = header.columns().columns().get(column).fieldId();
    return key.keySchema().columns().stream().anyMatch(part -> part.fieldId() == id);
  }

  private void endBatch() {
    if (rows == 0) {
      return;
    }
    List<FieldVector> vectors = columns.stream().map(VectorWriter::vector).toList();
    vectors.forEach(vector -> vector.setValueCount(rows));
    for (FieldVector vector : vectors) {
      try {
        required.check(vector);
      } catch (BadValue e) {
        throw firstRefusal(e, vectors);
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
            BadValue bad =
                new BadValue(
                    Rule.PARTITION,
                    source.name(),
                    PartitionRanges.text(vector, row) + ": " + source.range().message());
            throw refusal(bad, row, order);
          });
    }
  }

  /// What is wrong with the first bad row: rows are looked at one by one only once there is one.
  private IcewalException firstRefusal(BadValue found, List<FieldVector> vectors) {
    for (int row = 0; row < rows; row++) {
      for (FieldVector vector : vectors) {
        TransferPair pair = vector.getTransferPair(allocator);
        pair.splitAndTransfer(row, 1);
        try (FieldVector one = (FieldVector) pair.getTo()) {
          required.check(one);
        } catch (BadValue e) {
          return refusal(e, row, order);
        }
      }
    }
    throw new IllegalStateException("a row was bad and then good", found);
  }

  /// No task knows the number of a row within its statement.
  ///
  /// @param known columns whose values in that row are written
  private IcewalException refusal(BadValue bad, int row, int[] known) {
    return new IcewalException(
        ErrorKind.INVALID,
        "table "
            + header.tableName()
            + ", row ("
            + text(row, known)
            + "), column "
            + bad.path()
            + ", rule "
            + bad.rule().text()
            + ": "
            + bad.reason(),
        bad);
  }

  /// Its key, or its values where there is none.
  private String text(int row, int[] known) {
    StringBuilder text = new StringBuilder();
    for (int i : known) {
      if ((key.isEmpty() || isOfKey(i)) && text.length() < ROW_CHARS_MAX) {
        FieldVector vector = columns.get(i).vector();
        Object value = vector.getObject(row);
        text.append(text.isEmpty() ? "" : ", ").append(vector.getName()).append(" = ");
        text.append(
            cut(
                value instanceof byte[] bytes
                    ? HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, VALUE_CHARS_MAX))
                    : String.valueOf(value),
                VALUE_CHARS_MAX));
      }
    }
    return cut(text.toString(), ROW_CHARS_MAX);
  }

  private static String cut(String text, int max) {
    return text.length() <= max ? text : text.substring(0, max - 1) + "…";
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
