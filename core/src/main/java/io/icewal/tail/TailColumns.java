package io.icewal.tail;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.RowOp;
import io.icewal.parquet.ArrowRows;
import io.icewal.wal.BlockHeader;
import io.icewal.wal.BlockRef;
import io.icewal.wal.FrameRows;
import io.icewal.wal.LogReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;

/// The rows of one block in the form of the table as it is now: columns by field id, older types
/// promoted, columns that were added later with their initial default.
///
/// Reads only the parts of the block that hold a wanted column. Owns their buffers: close it.
public final class TailColumns implements AutoCloseable {
  private final BlockRef block;
  private final Schema target;
  private final BufferAllocator allocator;
  private final List<FrameRows> parts;

  private TailColumns(
      BlockRef block, Schema target, BufferAllocator allocator, List<FrameRows> parts) {
    this.block = block;
    this.target = target;
    this.allocator = allocator;
    this.parts = parts;
  }

  /// @param target the wanted columns with their current types
  public static TailColumns read(
      Tail tail, BlockRef block, Schema target, BufferAllocator allocator) {
    return read(tail.reader(), block, target, allocator);
  }

  /// The same for a block of a tail that another process has read.
  ///
  /// @param reader of the block's log
  public static TailColumns read(
      LogReader reader, BlockRef block, Schema target, BufferAllocator allocator) {
    List<FrameRows> parts = new ArrayList<>();
    try {
      if (block.header().isKeyed() && wants(target, block.header().keyColumns())) {
        parts.add(reader.readKeys(block, allocator));
      }
      if (wants(target, block.header().restColumns())) {
        parts.add(reader.readRest(block, allocator));
      }
      if (parts.isEmpty()) {
        parts.add(
            block.header().isKeyed()
                ? reader.readKeys(block, allocator)
                : reader.readRest(block, allocator));
      }
      TailColumns columns = new TailColumns(block, target, allocator, parts);
      columns.checkCuts();
      return columns;
    } catch (RuntimeException | Error e) {
      parts.forEach(FrameRows::close);
      throw e;
    }
  }

  private static boolean wants(Schema target, List<NestedField> columns) {
    Set<Integer> wanted =
        target.columns().stream().map(NestedField::fieldId).collect(Collectors.toSet());
    return columns.stream().anyMatch(column -> wanted.contains(column.fieldId()));
  }

  private void checkCuts() {
    for (FrameRows part : parts) {
      boolean sameCuts = part.roots().size() == roots();
      for (int i = 0; sameCuts && i < roots(); i++) {
        sameCuts = part.roots().get(i).getRowCount() == rowCount(i);
      }
      if (!sameCuts || part.rowCount() != block.rows()) {
        throw new IcewalException(
            ErrorKind.CORRUPT,
            block.describe() + ": its parts do not have " + block.rows() + " rows each");
      }
    }
  }

  /// How many record batches the block has.
  public int roots() {
    return parts.get(0).roots().size();
  }

  /// Rows of one record batch.
  public int rowCount(int root) {
    return parts.get(0).roots().get(root).getRowCount();
  }

  /// Some rows of one record batch, in the form of the target; the caller closes them.
  public VectorSchemaRoot rows(int root, int[] rows) {
    VectorSchemaRoot view = view(root);
    if (view.getFieldVectors().isEmpty()) {
      view.setRowCount(rows.length);
      return promote(view);
    }
    try (VectorSchemaRoot gathered = ArrowRows.gather(view, rows, allocator)) {
      return promote(gathered);
    }
  }

  /// All rows of one record batch, in the form of the target; the caller closes them.
  public VectorSchemaRoot rows(int root) {
    return promote(view(root));
  }

  private VectorSchemaRoot promote(VectorSchemaRoot rows) {
    BlockHeader header = block.header();
    return ArrowRows.promote(rows, header.columns(), header.lastColumnId(), target, allocator);
  }

  /// The wanted columns of a record batch: shares its vectors, is not to be closed.
  private VectorSchemaRoot view(int root) {
    List<FieldVector> vectors = new ArrayList<>();
    for (FrameRows part : parts) {
      for (FieldVector vector : part.roots().get(root).getFieldVectors()) {
        if (!vector.getName().equals(RowOp.COLUMN)
            && target.findField(ArrowSchemas.fieldId(vector.getField())) != null) {
          vectors.add(vector);
        }
      }
    }
    return new VectorSchemaRoot(
        vectors.stream().map(FieldVector::getField).toList(), vectors, rowCount(root));
  }

  @Override
  public void close() {
    parts.forEach(FrameRows::close);
  }
}
