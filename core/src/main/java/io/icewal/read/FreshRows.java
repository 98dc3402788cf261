package io.icewal.read;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.exceptions.NotFoundException;
import org.jspecify.annotations.Nullable;

/// The rows of a scan, batch by batch. Not thread-safe. May be closed at any moment; closing frees
/// every buffer.
public final class FreshRows implements AutoCloseable {
  private final Iterator<Supplier<RowSource>> sources;
  private final RowFilter filter;
  private final BufferAllocator allocator;
  private final VectorSchemaRoot root;
  private @Nullable RowSource current;
  private long remaining;

  FreshRows(
      Iterator<Supplier<RowSource>> sources,
      RowFilter filter,
      long limit,
      BufferAllocator allocator) {
    this.sources = sources;
    this.filter = filter;
    this.allocator = allocator;
    this.remaining = limit;
    this.root =
        VectorSchemaRoot.create(ArrowSchemas.toArrow(filter.columns().projection()), allocator);
  }

  /// The canonical Arrow schema of all batches.
  public Schema schema() {
    return root.getSchema();
  }

  /// Moves the next rows, at least one, into [#root].
  ///
  /// @return false at the end
  /// @throws IcewalException CONFLICT if the tail was trimmed since the scan was planned: plan it
  ///   again; UNAVAILABLE; CORRUPT
  public boolean next() {
    root.clear();
    try {
      return advance();
    } catch (NotFoundException e) {
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "a data file of the scanned snapshot is gone, it may have expired: plan the scan again",
          e);
    } catch (UncheckedIOException e) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE, "a data file of the scanned snapshot could not be read", e);
    }
  }

  private boolean advance() {
    while (remaining > 0) {
      if (current == null) {
        if (!sources.hasNext()) {
          return false;
        }
        current = sources.next().get();
      }
      RowSource.Batch batch = current.next();
      if (batch == null) {
        closeCurrent();
      } else if (take(batch)) {
        return true;
      }
    }
    closeCurrent();
    return false;
  }

  private boolean take(RowSource.Batch batch) {
    VectorSchemaRoot rows = filter.apply(batch, remaining, allocator);
    if (rows == null) {
      return false;
    }
    try (rows) {
      for (int i = 0; i < root.getFieldVectors().size(); i++) {
        rows.getVector(i).makeTransferPair(root.getVector(i)).transfer();
      }
      root.setRowCount(rows.getRowCount());
    }
    remaining -= root.getRowCount();
    return true;
  }

  private void closeCurrent() {
    if (current != null) {
      current.close();
      current = null;
    }
  }

  /// The current batch. The same object all the time, so that it can be streamed; its vectors may
  /// be transferred out, and are replaced by the next call of [#next].
  public VectorSchemaRoot root() {
    return root;
  }

  @Override
  public void close() {
    try {
      closeCurrent();
    } finally {
      root.close();
    }
  }
}
