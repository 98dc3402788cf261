package io.icewal.trino.read;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import java.util.function.ObjLongConsumer;
import java.util.stream.IntStream;

/// The first columns of a page. Loads no column that is not asked for.
final class PrefixPage implements SourcePage {
  private final SourcePage page;
  private final int columns;

  PrefixPage(SourcePage page, int columns) {
    this.page = page;
    this.columns = columns;
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
    return columns;
  }

  @Override
  public Block getBlock(int channel) {
    if (channel >= columns) {
      throw new IndexOutOfBoundsException("column " + channel + " of " + columns);
    }
    return page.getBlock(channel);
  }

  @Override
  public Page getPage() {
    return page.getColumns(IntStream.range(0, columns).toArray());
  }

  @Override
  public void selectPositions(int[] positions, int offset, int size) {
    page.selectPositions(positions, offset, size);
  }
}
