package io.icewal.trino.read;

import io.trino.spi.Page;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.FixedPageSource;
import java.util.stream.LongStream;

/// Pages of rows of which nothing but their number is wanted.
final class CountedPages {
  private static final int PAGE_ROWS = 1 << 17;

  private CountedPages() {}

  static ConnectorPageSource of(long rows) {
    return new FixedPageSource(
        LongStream.iterate(rows, rest -> rest > 0, rest -> rest - PAGE_ROWS)
            .mapToObj(rest -> new Page((int) Math.min(rest, PAGE_ROWS)))
            .iterator(),
        0);
  }
}
