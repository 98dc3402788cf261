package io.icewal.trino.read;

import io.icewal.merge.KeyVector;
import io.icewal.read.KeySlice;
import io.trino.spi.connector.SourcePage;
import java.util.Arrays;
import org.apache.arrow.memory.BufferAllocator;

/// Rows of a file that are hidden by their key, row by row: for files whose keys cannot be
/// searched, because another engine wrote them in another format than Parquet.
final class HiddenKeys implements HidingPageSource.Shown {
  private final KeyedPages pages;
  private final KeySlice hidden;
  private final BufferAllocator allocator;

  HiddenKeys(KeyedPages pages, KeySlice hidden, BufferAllocator allocator) {
    this.pages = pages;
    this.hidden = hidden;
    this.allocator = allocator;
  }

  @Override
  public int[] among(SourcePage page) {
    KeyVector keys = pages.keys(page, allocator);
    int[] shown = new int[keys.size()];
    int count = 0;
    for (int i = 0; i < shown.length; i++) {
      if (!hidden.contains(keys, i)) {
        shown[count++] = i;
      }
    }
    return Arrays.copyOf(shown, count);
  }
}
