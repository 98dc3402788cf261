package io.icewal.sim;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.BlockKind;
import io.icewal.model.ProducerSequence;
import io.icewal.model.RowBatch;
import io.icewal.model.RowOp;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.BlockHeader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// One batch that a client sends, and whether it was acknowledged.
final class Batch {
  final TableTruth table;
  final BlockKind kind;
  final @Nullable ProducerSequence producer;
  final int[] keys;
  final long[] tokens;
  final boolean[] deletes;
  boolean acked;

  /// Whether the producer's name went with it: an ingestor's marks have none.
  boolean markOnly;

  private Batch(
      TableTruth table,
      BlockKind kind,
      @Nullable ProducerSequence producer,
      int[] keys,
      long[] tokens,
      boolean[] deletes) {
    this.table = table;
    this.kind = kind;
    this.producer = producer;
    this.keys = keys;
    this.tokens = tokens;
    this.deletes = deletes;
  }

  /// @param firstToken the tokens of its rows count up from here; 64 are its own
  static Batch draw(
      RandomGenerator random,
      TableTruth table,
      @Nullable ProducerSequence producer,
      int rowsMax,
      long firstToken) {
    BlockKind kind = drawKind(random, table.shape.keyed);
    boolean none = kind == BlockKind.TRUNCATE || kind == BlockKind.FLUSH;
    int rows = none ? 0 : 1 + random.nextInt(rowsMax);
    Batch batch =
        new Batch(table, kind, producer, new int[rows], new long[rows], new boolean[rows]);
    for (int row = 0; row < rows; row++) {
      batch.keys[row] = table.shape.keyed ? random.nextInt(table.shape.keys) : -1;
      batch.tokens[row] = firstToken + row;
      batch.deletes[row] =
          kind == BlockKind.DELETE || (kind == BlockKind.MIXED && random.nextBoolean());
    }
    return batch;
  }

  private static BlockKind drawKind(RandomGenerator random, boolean keyed) {
    int dice = random.nextInt(100);
    if (dice < 2) {
      return BlockKind.TRUNCATE;
    }
    if (dice < 5) {
      return BlockKind.FLUSH;
    }
    if (!keyed || dice < 65) {
      return BlockKind.UPSERT;
    }
    return dice < 80 ? BlockKind.DELETE : BlockKind.MIXED;
  }

  /// The batch as a writer takes it; its rows are the caller's to close.
  ///
  /// @param known the table as the writer knows it
  AppendBatch toAppend(TableMetadata known, BufferAllocator allocator) {
    Schema schema = known.schema();
    Schema columns = schema;
    if (kind == BlockKind.DELETE) {
      columns =
          new Schema(
              schema.columns().stream()
                  .filter(column -> schema.identifierFieldIds().contains(column.fieldId()))
                  .toList(),
              schema.identifierFieldIds());
    }
    BlockHeader header =
        new BlockHeader(
            table.id,
            table.name().toString(),
            known.currentSchemaId(),
            known.lastColumnId(),
            columns,
            kind);
    if (!header.hasRows()) {
      return AppendBatch.ofNoRows(header, producer);
    }
    return AppendBatch.ofRows(header, producer, rows(columns, allocator));
  }

  private RowBatch rows(Schema columns, BufferAllocator allocator) {
    VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(columns), allocator);
    root.allocateNew();
    List<NestedField> fields = columns.columns();
    for (int row = 0; row < keys.length; row++) {
      Map<Integer, @Nullable Object> values =
          WrittenRows.values(table.shape, columns.asStruct(), keys[row], tokens[row]);
      for (int i = 0; i < fields.size(); i++) {
        Values.set(root.getVector(i), row, values.get(fields.get(i).fieldId()));
      }
    }
    root.setRowCount(keys.length);
    return new RowBatch(kind, root, kind == BlockKind.MIXED ? ops(allocator) : null);
  }

  /// The batch as a client sends it to an ingestor: columns by name, `_op` in each row of a keyed
  /// table; some optional columns are left out.
  ///
  /// @param known the table as the client knows it
  VectorSchemaRoot toSend(TableMetadata known, RandomGenerator random, BufferAllocator allocator) {
    List<NestedField> columns =
        known.schema().columns().stream()
            .filter(column -> column.isRequired() || random.nextInt(8) != 0)
            .toList();
    List<FieldVector> vectors = new ArrayList<>();
    for (NestedField column : columns) {
      Field field = ArrowSchemas.toArrow(column);
      FieldType plain = new FieldType(field.isNullable(), field.getType(), null);
      vectors.add(
          (FieldVector)
              new Field(field.getName(), plain, field.getChildren()).createVector(allocator));
    }
    VectorSchemaRoot root = new VectorSchemaRoot(vectors);
    root.allocateNew();
    for (int row = 0; row < keys.length; row++) {
      Map<Integer, @Nullable Object> values =
          WrittenRows.values(table.shape, Types.StructType.of(columns), keys[row], tokens[row]);
      Map<String, @Nullable Object> named = new HashMap<>();
      for (int i = 0; i < columns.size(); i++) {
        Object value = values.get(columns.get(i).fieldId());
        Values.set(vectors.get(i), row, value);
        named.put(columns.get(i).name(), value);
      }
      table.sent(tokens[row], named);
    }
    root.setRowCount(keys.length);
    if (!table.shape.keyed) {
      return root;
    }
    List<FieldVector> withOps = new ArrayList<>(vectors);
    withOps.add(random.nextInt(withOps.size() + 1), ops(allocator));
    return new VectorSchemaRoot(withOps);
  }

  private TinyIntVector ops(BufferAllocator allocator) {
    TinyIntVector ops = new TinyIntVector(RowOp.COLUMN, allocator);
    ops.allocateNew(keys.length);
    for (int row = 0; row < keys.length; row++) {
      ops.set(row, deletes[row] ? RowOp.DELETE : RowOp.UPSERT);
    }
    ops.setValueCount(keys.length);
    return ops;
  }
}
