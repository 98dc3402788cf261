package io.icewal.trino.read;

import io.icewal.model.IcewalException;
import io.icewal.read.TailPiece;
import io.icewal.trino.services.IcewalErrorCode;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/// Rows of the tail as pages. Used by one thread.
final class TailPageSource implements ConnectorPageSource {
  private static final int PAGE_ROWS = 8192;

  private final TailPiece.Rows rows;
  private final List<IcebergColumnHandle> columns;
  private final TailPredicate predicate;
  private final BufferAllocator allocator;
  private @Nullable Page batch;
  private int given;
  private long bytes;
  private long nanos;
  private boolean finished;

  /// @param allocator that the rows are read with, for nothing else; closed with this
  TailPageSource(
      TailPiece.Rows rows,
      List<IcebergColumnHandle> columns,
      TailPredicate predicate,
      BufferAllocator allocator) {
    this.rows = rows;
    this.columns = columns;
    this.predicate = predicate;
    this.allocator = allocator;
  }

  @Override
  public @Nullable SourcePage getNextSourcePage() {
    Page current = batch;
    if (current == null || given == current.getPositionCount()) {
      current = read();
      batch = current;
      given = 0;
    }
    if (current == null) {
      return null;
    }
    int count = Math.min(PAGE_ROWS, current.getPositionCount() - given);
    Page page = current.getRegion(given, count);
    given += count;
    return SourcePage.create(page);
  }

  /// The next rows that count; null if there are none in the next batch, or at the end.
  private @Nullable Page read() {
    long start = System.nanoTime();
    try {
      VectorSchemaRoot next = rows.next();
      finished = next == null;
      return next == null ? null : page(next);
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    } finally {
      nanos += System.nanoTime() - start;
    }
  }

  private @Nullable Page page(VectorSchemaRoot root) {
    int count = root.getRowCount();
    Block[] blocks = new Block[columns.size()];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = TailColumnReader.read(root, columns.get(i));
    }
    Page page = new Page(count, blocks);
    bytes += page.getSizeInBytes();
    int[] chosen = predicate.test(root);
    if (chosen.length == count) {
      return page;
    }
    return chosen.length == 0 ? null : page.copyPositions(chosen, 0, chosen.length);
  }

  @Override
  public long getCompletedBytes() {
    return bytes;
  }

  @Override
  public long getReadTimeNanos() {
    return nanos;
  }

  @Override
  public boolean isFinished() {
    Page current = batch;
    return finished && (current == null || given == current.getPositionCount());
  }

  @Override
  @SuppressWarnings("deprecation") // One number is all there is to report.
  public long getMemoryUsage() {
    Page current = batch;
    return allocator.getAllocatedMemory()
        + (current == null ? 0 : current.getRetainedSizeInBytes());
  }

  @Override
  public void close() {
    finished = true;
    batch = null;
    rows.close();
    allocator.close();
  }
}
