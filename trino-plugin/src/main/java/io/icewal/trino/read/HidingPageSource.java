package io.icewal.trino.read;

import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Rows of a data file but for hidden ones. The source may have more columns than are wanted, by
/// which they are told; these do not come out. Used by one thread.
final class HidingPageSource implements ConnectorPageSource {
  /// Tells which rows of a page are shown. Two implementations: [HiddenNumbers], [HiddenKeys].
  interface Shown {
    /// The positions of these rows, ascending.
    int[] among(SourcePage page);
  }

  private final ConnectorPageSource file;
  private final int columns;
  private final Shown shown;

  /// @param file with more columns after the wanted ones
  /// @param columns how many columns are wanted
  HidingPageSource(ConnectorPageSource file, int columns, Shown shown) {
    this.file = file;
    this.columns = columns;
    this.shown = shown;
  }

  @Override
  public @Nullable SourcePage getNextSourcePage() {
    @Nullable SourcePage page = file.getNextSourcePage();
    if (page == null) {
      return null;
    }
    int[] positions = shown.among(page);
    if (positions.length < page.getPositionCount()) {
      page.selectPositions(positions, 0, positions.length);
    }
    return new PrefixPage(page, columns);
  }

  @Override
  public long getCompletedBytes() {
    return file.getCompletedBytes();
  }

  @Override
  public OptionalLong getCompletedPositions() {
    return file.getCompletedPositions();
  }

  @Override
  public long getReadTimeNanos() {
    return file.getReadTimeNanos();
  }

  @Override
  public boolean isFinished() {
    return file.isFinished();
  }

  @Override
  @SuppressWarnings("deprecation") // The file's source may still report its memory in this way.
  public long getMemoryUsage() {
    return file.getMemoryUsage();
  }

  @Override
  public CompletableFuture<?> isBlocked() {
    return file.isBlocked();
  }

  @Override
  public Metrics getMetrics() {
    return file.getMetrics();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
