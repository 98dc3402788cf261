package io.icewal.trino.write;

import io.airlift.slice.Slice;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSink;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// The rows of an INSERT, in the table's columns. Used by one thread at a time.
final class LogPageSink implements ConnectorPageSink {
  private final BlockStager rows;
  private final List<Type> types;

  LogPageSink(BlockStager rows, List<Type> types) {
    this.rows = rows;
    this.types = types;
  }

  @Override
  public CompletableFuture<?> appendPage(Page page) {
    List<Block> columns = new ArrayList<>();
    for (int i = 0; i < page.getChannelCount(); i++) {
      columns.add(page.getBlock(i));
    }
    WriteErrors.translating(() -> rows.add(page.getPositionCount(), columns, types));
    return NOT_BLOCKED;
  }

  @Override
  public CompletableFuture<Collection<Slice>> finish() {
    try (rows) {
      List<Slice> fragments = new ArrayList<>();
      WriteErrors.translating(() -> fragments.addAll(rows.finish()));
      return CompletableFuture.completedFuture(fragments);
    }
  }

  @Override
  public long getCompletedBytes() {
    return rows.storedBytes();
  }

  @Override
  public long getMemoryUsage() {
    return rows.memoryBytes();
  }

  /// What was staged is never published and cleaned up in time.
  @Override
  public void abort() {
    rows.close();
  }
}
