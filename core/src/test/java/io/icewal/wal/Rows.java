package io.icewal.wal;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.BlockKind;
import io.icewal.model.ProducerSequence;
import io.icewal.model.RowBatch;
import io.icewal.model.RowOp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/// Rows of tables `(id long [key], v string)` for tests, and as text `id=v`.
final class Rows {
  static final Schema KEYED =
      new Schema(
          List.of(
              Types.NestedField.required(1, "id", Types.LongType.get()),
              Types.NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));
  static final Schema APPEND_ONLY = new Schema(KEYED.columns());
  static final Schema KEY_ALONE = new Schema(KEYED.columns().subList(0, 1), Set.of(1));

  private Rows() {}

  static UUID table(int number) {
    return new UUID(0x7ab1e0, number);
  }

  static BlockHeader header(int table, BlockKind kind) {
    Schema columns = kind == BlockKind.DELETE ? KEY_ALONE : KEYED;
    return new BlockHeader(table(table), "ns.t" + table, 0, 2, columns, kind);
  }

  static RowBatch rows(BufferAllocator allocator, Schema schema, long from, int count) {
    return new RowBatch(BlockKind.UPSERT, root(allocator, schema, from, count), null);
  }

  static RowBatch deletes(BufferAllocator allocator, long from, int count) {
    return new RowBatch(BlockKind.DELETE, root(allocator, KEY_ALONE, from, count), null);
  }

  /// Even rows are upserts, odd ones deletes.
  static RowBatch mixed(BufferAllocator allocator, long from, int count) {
    TinyIntVector ops = (TinyIntVector) FrameEncoder.OP_FIELD.createVector(allocator);
    ops.allocateNew(count);
    for (int i = 0; i < count; i++) {
      ops.set(i, i % 2 == 0 ? RowOp.UPSERT : RowOp.DELETE);
    }
    ops.setValueCount(count);
    return new RowBatch(BlockKind.MIXED, root(allocator, KEYED, from, count), ops);
  }

  static VectorSchemaRoot root(BufferAllocator allocator, Schema schema, long from, int count) {
    VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
    for (FieldVector vector : root.getFieldVectors()) {
      vector.allocateNew();
      for (int i = 0; i < count; i++) {
        if (vector instanceof BigIntVector ids) {
          ids.setSafe(i, from + i);
        } else if ((from + i) % 5 != 4) {
          ((VarCharVector) vector).setSafe(i, value(from + i).getBytes(StandardCharsets.UTF_8));
        }
      }
      vector.setValueCount(count);
    }
    root.setRowCount(count);
    return root;
  }

  private static String value(long id) {
    return "value of " + id;
  }

  /// What [#root] makes, as text.
  static List<String> expected(long from, int count) {
    List<String> rows = new ArrayList<>();
    for (long id = from; id < from + count; id++) {
      rows.add(id + "=" + (id % 5 == 4 ? "null" : value(id)));
    }
    return rows;
  }

  static AppendBatch upsert(
      BufferAllocator allocator,
      int table,
      @Nullable ProducerSequence producer,
      long from,
      int count) {
    return AppendBatch.ofRows(
        header(table, BlockKind.UPSERT), producer, rows(allocator, KEYED, from, count));
  }

  static void close(List<AppendBatch> batches) {
    for (AppendBatch batch : batches) {
      RowBatch rows = batch.rows();
      if (rows != null) {
        rows.close();
      }
    }
  }

  /// All rows of a block as text.
  static List<String> read(LogReader reader, BlockRef block, BufferAllocator allocator) {
    try (FrameRows keys = reader.readKeys(block, allocator);
        FrameRows rest = reader.readRest(block, allocator)) {
      return block.header().isKeyed() ? text(keys, rest) : text(rest, rest);
    }
  }

  static List<String> text(FrameRows keys, FrameRows rest) {
    List<String> rows = new ArrayList<>();
    for (int batch = 0; batch < keys.roots().size(); batch++) {
      VectorSchemaRoot ids = keys.roots().get(batch);
      for (int i = 0; i < ids.getRowCount(); i++) {
        FieldVector op = ids.getVector(RowOp.COLUMN);
        String suffix = op == null ? "" : op.getObject(i).equals(RowOp.DELETE) ? " deleted" : "";
        Object v =
            rest.roots().isEmpty() ? "-" : rest.roots().get(batch).getVector("v").getObject(i);
        rows.add(ids.getVector("id").getObject(i) + "=" + v + suffix);
      }
    }
    return rows;
  }
}
