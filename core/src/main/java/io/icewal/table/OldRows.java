package io.icewal.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.jspecify.annotations.Nullable;

/// The live rows of one snapshot that have certain keys, with their keys and ids.
///
/// @param byFile what was found, by data file location; files that were looked at and have none of
///   the keys are there too
public record OldRows(Map<String, InFile> byFile) {
  /// No such row id.
  public static final long NO_ROW_ID = -1;

  /// The live rows of one file that have certain keys, in ascending row order.
  ///
  /// @param file the file, with its deletes at that time
  /// @param deleted the rows that were already deleted; null if none
  /// @param keys the index of each row's key
  /// @param rows row numbers in the file, ascending, all live
  /// @param rowIds `_row_id` of each row where it was asked for, else [#NO_ROW_ID]
  public record InFile(
      LiveFile file,
      @Nullable PositionDeleteIndex deleted,
      int[] keys,
      long[] rows,
      long[] rowIds) {}

  /// The files that have rows.
  public List<InFile> withRows() {
    List<InFile> out = new ArrayList<>();
    for (InFile found : byFile.values()) {
      if (found.rows().length > 0) {
        out.add(found);
      }
    }
    return out;
  }

  /// Nothing was found, nothing was looked at.
  public static OldRows none() {
    return new OldRows(Map.of());
  }

  /// How many rows were found.
  public long count() {
    return byFile.values().stream().mapToLong(found -> found.rows().length).sum();
  }

  /// For each of `keyCount` keys the `_row_id` that its new row continues, or [#NO_ROW_ID]. Where a
  /// foreign engine left several rows of a key, the newest file's last row counts.
  public long[] rowIds(int keyCount) {
    long[] ids = new long[keyCount];
    long[] sequences = new long[keyCount];
    Arrays.fill(ids, NO_ROW_ID);
    Arrays.fill(sequences, Long.MIN_VALUE);
    for (InFile found : byFile.values()) {
      Long sequence = found.file().file().dataSequenceNumber();
      long order = sequence == null ? 0 : sequence;
      for (int i = 0; i < found.rows().length; i++) {
        int key = found.keys()[i];
        if (found.rowIds()[i] != NO_ROW_ID && order >= sequences[key]) {
          ids[key] = found.rowIds()[i];
          sequences[key] = order;
        }
      }
    }
    return ids;
  }
}
