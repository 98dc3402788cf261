package io.icewal.read;

import io.icewal.tail.TailColumns;
import io.icewal.wal.BlockRef;
import io.icewal.wal.BlockReferences;
import io.icewal.wal.LogReader;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;

/// Some of the rows that a tail adds to a snapshot: a part of a read that another process can do
/// ([#toBytes]). On the heap; immutable.
public final class TailPiece {
  /// Stands for all record batches of a block, and all rows of them.
  private static final int ALL = 0;

  /// Rows of one block.
  ///
  /// @param block where they are
  /// @param roots the record batches to read; null for all rows of all of them
  record Part(BlockRef block, @Nullable List<RootRows> roots) {}

  /// Rows of one record batch.
  ///
  /// @param root its index
  /// @param rows ascending
  record RootRows(int root, int[] rows) {}

  private final List<Part> parts;
  private final long rows;

  TailPiece(List<Part> parts) {
    this.parts = List.copyOf(parts);
    this.rows = parts.stream().mapToLong(TailPiece::rows).sum();
  }

  private static long rows(Part part) {
    return part.roots() == null
        ? part.block().rows()
        : part.roots().stream().mapToLong(root -> root.rows().length).sum();
  }

  /// How many rows it has.
  public long rows() {
    return rows;
  }

  /// A form to send between processes of the same version.
  public byte[] toBytes() {
    byte[] references = BlockReferences.toBytes(parts.stream().map(Part::block).toList());
    VarBytes out = new VarBytes();
    out.put(references.length);
    out.put(references, 0, references.length);
    for (Part part : parts) {
      List<RootRows> roots = part.roots();
      out.put(roots == null ? ALL : roots.size());
      if (roots != null) {
        roots.forEach(root -> put(out, root));
      }
    }
    return out.toBytes();
  }

  private static void put(VarBytes out, RootRows root) {
    out.put(root.root());
    out.put(root.rows().length);
    int before = 0;
    for (int row : root.rows()) {
      out.put(row - before);
      before = row;
    }
  }

  /// Reads the form of [#toBytes].
  public static TailPiece fromBytes(byte[] bytes) {
    VarBytes in = new VarBytes(bytes);
    byte[] references = new byte[Math.toIntExact(in.next())];
    in.next(references, 0, references.length);
    List<Part> parts = new ArrayList<>();
    for (BlockRef block : BlockReferences.fromBytes(references)) {
      int count = Math.toIntExact(in.next());
      List<RootRows> roots = count == ALL ? null : new ArrayList<>(count);
      for (int i = 0; roots != null && i < count; i++) {
        roots.add(next(in));
      }
      parts.add(new Part(block, roots));
    }
    return new TailPiece(parts);
  }

  private static RootRows next(VarBytes in) {
    int root = Math.toIntExact(in.next());
    int[] rows = new int[Math.toIntExact(in.next())];
    int before = 0;
    for (int i = 0; i < rows.length; i++) {
      before += Math.toIntExact(in.next());
      rows[i] = before;
    }
    return new RootRows(root, rows);
  }

  /// Reads the rows, one block in memory at a time. Where no columns are wanted and the plan names
  /// the rows, nothing is read.
  ///
  /// @param reader of the log
  /// @param columns the wanted columns, with their current types
  public Rows open(LogReader reader, Schema columns, BufferAllocator allocator) {
    return new Rows(parts, reader, columns, allocator);
  }

  /// The rows of a piece, batch by batch. Used by one thread; owns its buffers.
  public static final class Rows implements AutoCloseable {
    private final List<Part> parts;
    private final LogReader reader;
    private final Schema columns;
    private final BufferAllocator allocator;
    private int part;
    private int root;
    private @Nullable TailColumns open;
    private @Nullable VectorSchemaRoot batch;

    private Rows(List<Part> parts, LogReader reader, Schema columns, BufferAllocator allocator) {
      this.parts = parts;
      this.reader = reader;
      this.columns = columns;
      this.allocator = allocator;
    }

    /// The next rows, which are good until the next call; null at the end.
    ///
    /// @throws io.icewal.model.IcewalException CONFLICT if the log was trimmed since the piece was
    ///   planned: plan again; UNAVAILABLE; CORRUPT
    public @Nullable VectorSchemaRoot next() {
      closeBatch();
      while (part < parts.size()) {
        VectorSchemaRoot next = nextOf(parts.get(part));
        if (next != null) {
          batch = next;
          return next;
        }
        closeBlock();
        part++;
        root = 0;
      }
      return null;
    }

    private @Nullable VectorSchemaRoot nextOf(Part current) {
      List<RootRows> counted = columns.columns().isEmpty() ? current.roots() : null;
      if (counted != null) {
        return root == counted.size()
            ? null
            : new VectorSchemaRoot(List.of(), List.of(), counted.get(root++).rows().length);
      }
      TailColumns block = open;
      if (block == null) {
        block = TailColumns.read(reader, current.block(), columns, allocator);
        open = block;
      }
      List<RootRows> roots = current.roots();
      if (root == (roots == null ? block.roots() : roots.size())) {
        return null;
      }
      int next = root++;
      return roots == null
          ? block.rows(next)
          : block.rows(roots.get(next).root(), roots.get(next).rows());
    }

    private void closeBatch() {
      if (batch != null) {
        batch.close();
        batch = null;
      }
    }

    private void closeBlock() {
      if (open != null) {
        open.close();
        open = null;
      }
    }

    @Override
    public void close() {
      closeBatch();
      closeBlock();
    }
  }
}
