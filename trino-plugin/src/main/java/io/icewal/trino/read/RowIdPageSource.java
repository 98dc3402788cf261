package io.icewal.trino.read;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/// Rows with their row id ([KeyRowId]), made of the key's fields. Used by one thread.
final class RowIdPageSource implements ConnectorPageSource {
  private final ConnectorPageSource source;
  private final int idChannel;
  private final int channels;
  private final int[] key;

  /// @param source with the wanted columns but the row id, and the key's fields
  /// @param idChannel where the row id comes
  /// @param channels how many columns are wanted, the row id among them
  /// @param key where the source has the key's fields
  RowIdPageSource(ConnectorPageSource source, int idChannel, int channels, int[] key) {
    this.source = source;
    this.idChannel = idChannel;
    this.channels = channels;
    this.key = key;
  }

  @Override
  public @Nullable SourcePage getNextSourcePage() {
    @Nullable SourcePage page = source.getNextSourcePage();
    return page == null ? null : new RowIdPage(page);
  }

  /// Loads no column that is not asked for.
  private final class RowIdPage implements SourcePage {
    private final SourcePage page;

    private RowIdPage(SourcePage page) {
      this.page = page;
    }

    @Override
    public Block getBlock(int channel) {
      if (channel != idChannel) {
        return page.getBlock(channel < idChannel ? channel : channel - 1);
      }
      Block[] fields = new Block[key.length];
      for (int i = 0; i < fields.length; i++) {
        fields[i] = page.getBlock(key[i]);
      }
      return RowBlock.fromFieldBlocks(page.getPositionCount(), fields);
    }

    @Override
    public Page getPage() {
      Block[] blocks = new Block[channels];
      for (int i = 0; i < channels; i++) {
        blocks[i] = getBlock(i);
      }
      return new Page(page.getPositionCount(), blocks);
    }

    @Override
    public int getPositionCount() {
      return page.getPositionCount();
    }

    @Override
    public long getSizeInBytes() {
      return page.getSizeInBytes();
    }

    @Override
    public long getRetainedSizeInBytes() {
      return page.getRetainedSizeInBytes();
    }

    @Override
    public void retainedBytesForEachPart(ObjLongConsumer<Object> consumer) {
      page.retainedBytesForEachPart(consumer);
    }

    @Override
    public int getChannelCount() {
      return channels;
    }

    @Override
    public void selectPositions(int[] positions, int offset, int size) {
      page.selectPositions(positions, offset, size);
    }
  }

  @Override
  public long getCompletedBytes() {
    return source.getCompletedBytes();
  }

  @Override
  public OptionalLong getCompletedPositions() {
    return source.getCompletedPositions();
  }

  @Override
  public long getReadTimeNanos() {
    return source.getReadTimeNanos();
  }

  @Override
  public boolean isFinished() {
    return source.isFinished();
  }

  @Override
  @SuppressWarnings("deprecation") // The source may report its memory in this way.
  public long getMemoryUsage() {
    return source.getMemoryUsage();
  }

  @Override
  public CompletableFuture<?> isBlocked() {
    return source.isBlocked();
  }

  @Override
  public Metrics getMetrics() {
    return source.getMetrics();
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
