package io.icewal.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.jspecify.annotations.Nullable;

/// The live rows of one snapshot that have certain keys.
///
/// @param byFile what was found, by data file location; files that were looked at and have none of
///   the keys are there too, so that they need not be looked at again
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
      long[] rowIds) {
    InFile plus(InFile other) {
      long[] allRows = concat(rows, other.rows);
      int[] allKeys = Arrays.copyOf(keys, allRows.length);
      System.arraycopy(other.keys, 0, allKeys, keys.length, other.keys.length);
      RowOrder.sort(allRows, allKeys);
      PositionDeleteIndex before = deleted == null ? other.deleted : deleted;
      return new InFile(file, before, allKeys, allRows, new long[allRows.length]);
    }

    private static long[] concat(long[] first, long[] second) {
      long[] out = Arrays.copyOf(first, first.length + second.length);
      System.arraycopy(second, 0, out, first.length, second.length);
      return out;
    }

    /// Whether no row of the file is left once these are deleted.
    boolean isWholeFile() {
      long before = deleted == null ? 0 : deleted.cardinality();
      return before + rows.length == file.file().recordCount();
    }
  }

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

  /// What another process has found in files of a snapshot: without keys and ids, which only the
  /// writing of the rows needs.
  ///
  /// @param rows row numbers, ascending, all live, by the location of their data file
  public static OldRows of(Map<String, long[]> rows, LiveFiles files, Table table) {
    DeleteLoader deletes = new DeleteLoader(table);
    Map<String, InFile> byFile = new LinkedHashMap<>();
    rows.forEach(
        (location, found) -> {
          LiveFile file = files.find(location);
          if (file == null) {
            throw new IllegalStateException(
                "rows were found in " + location + ", which is no live file of " + table.name());
          }
          PositionDeleteIndex deleted = found.length == 0 ? null : deletes.load(file);
          byFile.put(
              location,
              new InFile(file, deleted, new int[found.length], found, new long[found.length]));
        });
    return new OldRows(byFile);
  }

  /// What was found in files that are still live with the same deletes.
  public OldRows unchangedIn(LiveFiles files) {
    Map<String, InFile> out = new LinkedHashMap<>();
    byFile.forEach(
        (location, found) -> {
          LiveFile now = files.find(location);
          if (now != null && now.isSameAs(found.file())) {
            out.put(location, found);
          }
        });
    return new OldRows(out);
  }

  /// The files that were not looked at.
  public List<LiveFile> notIn(LiveFiles files) {
    return files.files().stream().filter(file -> !byFile.containsKey(file.location())).toList();
  }

  /// Both together. The indexes of keys lose their meaning where both found rows of one file.
  public OldRows plus(OldRows other) {
    if (byFile.isEmpty()) {
      return other;
    }
    Map<String, InFile> out = new LinkedHashMap<>(byFile);
    other.byFile.forEach((location, found) -> out.merge(location, found, InFile::plus));
    return new OldRows(out);
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
