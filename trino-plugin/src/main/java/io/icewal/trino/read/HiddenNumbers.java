package io.icewal.trino.read;

import static io.trino.spi.type.BigintType.BIGINT;

import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import java.util.Arrays;

/// Rows of a file that are hidden by their number in it. Pages come in the order of the file.
final class HiddenNumbers implements HidingPageSource.Shown {
  private final long[] hidden;
  private final int channel;

  /// The first hidden row that is not before those of the last page.
  private int next;

  /// @param hidden ascending
  /// @param channel the column that holds a row's number
  HiddenNumbers(long[] hidden, int channel) {
    this.hidden = hidden;
    this.channel = channel;
  }

  @Override
  public int[] among(SourcePage page) {
    Block rows = page.getBlock(channel);
    int[] shown = new int[rows.getPositionCount()];
    int count = 0;
    for (int i = 0; i < shown.length; i++) {
      long row = BIGINT.getLong(rows, i);
      if (next == 0 && i == 0) {
        int found = Arrays.binarySearch(hidden, row);
        next = found < 0 ? -found - 1 : found;
      }
      while (next < hidden.length && hidden[next] < row) {
        next++;
      }
      if (next == hidden.length || hidden[next] != row) {
        shown[count++] = i;
      }
    }
    return Arrays.copyOf(shown, count);
  }
}
