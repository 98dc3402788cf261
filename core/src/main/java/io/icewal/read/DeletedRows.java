package io.icewal.read;

import io.icewal.parquet.RowGroups;
import java.util.Arrays;
import java.util.BitSet;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.jspecify.annotations.Nullable;

/// The rows of one data file that do not count: those that the table's deletes name, and those that
/// the tail hides. To be changed by nobody.
///
/// @param existing from deletion vectors and position deletes; null if the file has none
/// @param hidden row numbers of keys that the tail has, ascending, distinct
public record DeletedRows(@Nullable PositionDeleteIndex existing, long[] hidden) {
  /// How many of some neighbouring rows do not count.
  public long count(RowGroups.Rows rows) {
    long hiddenOnly = 0;
    for (int i = firstAtLeast(rows.from()); i < hidden.length && hidden[i] < rows.to(); i++) {
      hiddenOnly += existing == null || !existing.isDeleted(hidden[i]) ? 1 : 0;
    }
    long[] deleted = {0};
    if (existing != null) {
      existing.forEach(row -> deleted[0] += row >= rows.from() && row < rows.to() ? 1 : 0);
    }
    return hiddenOnly + deleted[0];
  }

  /// Those among the rows of a batch; null if there are none.
  ///
  /// @param rows file row numbers, ascending
  @Nullable BitSet among(long[] rows) {
    BitSet dead = null;
    int next = rows.length == 0 ? hidden.length : firstAtLeast(rows[0]);
    for (int i = 0; i < rows.length; i++) {
      while (next < hidden.length && hidden[next] < rows[i]) {
        next++;
      }
      boolean isHidden = next < hidden.length && hidden[next] == rows[i];
      if (isHidden || (existing != null && existing.isDeleted(rows[i]))) {
        dead = dead == null ? new BitSet(rows.length) : dead;
        dead.set(i);
      }
    }
    return dead;
  }

  private int firstAtLeast(long row) {
    int at = Arrays.binarySearch(hidden, row);
    return at < 0 ? -at - 1 : at;
  }
}
