package io.icewal.wal;

import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;

/// The rows of one part of a block, in order. Owns their buffers: close it. Not thread-safe.
///
/// The cuts between the roots mean nothing, except that the key part and the rest part of one block
/// are cut alike. In the key part of a MIXED block the last column is named `_op` and has no field
/// id.
public final class FrameRows implements AutoCloseable {
  static final FrameRows EMPTY = new FrameRows(List.of());

  private final List<VectorSchemaRoot> roots;

  FrameRows(List<VectorSchemaRoot> roots) {
    this.roots = List.copyOf(roots);
  }

  public List<VectorSchemaRoot> roots() {
    return roots;
  }

  public long rowCount() {
    return roots.stream().mapToLong(VectorSchemaRoot::getRowCount).sum();
  }

  @Override
  public void close() {
    roots.forEach(VectorSchemaRoot::close);
  }
}
