package io.icewal.read;

import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/// The rows of a scan, batch by batch. Not thread-safe. May be closed at any moment; closing frees
/// every buffer.
public final class FreshRows implements AutoCloseable {
  /// The canonical Arrow schema of all batches.
  public Schema schema() {
    throw new UnsupportedOperationException();
  }

  /// Moves the next rows, at least one, into [#root].
  ///
  /// @return false at the end
  public boolean next() {
    throw new UnsupportedOperationException();
  }

  /// The current batch. The same object all the time, so that it can be streamed; its vectors may
  /// be transferred out, and are replaced by the next call of [#next].
  public VectorSchemaRoot root() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
