package io.icewal.materialize;

import io.icewal.materialize.DeltaWriter.Selection;
import io.icewal.merge.KeyColumns;
import io.icewal.merge.Survivors;
import io.icewal.table.DeletionVectors;
import io.icewal.table.KeyLookup;
import io.icewal.table.LiveFile;
import io.icewal.table.LiveFiles;
import io.icewal.table.OldRows;
import io.icewal.table.PartitionKeys;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import org.apache.iceberg.Table;

/// The rows of a keyed table: old rows of their keys are looked for, new rows are written.
///
/// The first [#prepare] looks into the files that can hold a key, chunk by chunk, and writes each
/// chunk's rows with the `_row_id` that they continue. A later one, after a conflict, looks only
/// into files that are new, unless rows that it had found are no longer where they were.
final class Upserts implements Cycle.Change {
  private static final long NO_IDS = 0;

  private final Cycle.Services services;
  private final SortedRows rows;
  private final KeyColumns key;
  private final DeltaWriter writer;
  private OldRows found = OldRows.none();
  private boolean written;
  private long writtenIds;

  Upserts(Cycle.Services services, SortedRows rows, KeyColumns key, DeltaWriter writer) {
    this.services = services;
    this.rows = rows;
    this.key = key;
    this.writer = writer;
  }

  @Override
  public DeletionVectors prepare(Table table, String attemptName) {
    LiveFiles files = LiveFiles.of(table, key, services.manifests());
    if (rows.truncated()) {
      if (!written) {
        writeAll(table, List.of());
      }
      return DeletionVectors.allOf(files);
    }
    OldRows still = found.unchangedIn(files);
    if (!written) {
      writeAll(table, files.files());
    } else if (still.withRows().size() < found.withRows().size()) {
      findAgain(table, files.files());
    } else {
      lookIntoNew(table, files, still);
    }
    return DeletionVectors.write(table, found, attemptName);
  }

  private void writeAll(Table table, Collection<LiveFile> files) {
    found = OldRows.none();
    writtenIds = NO_IDS;
    while (rows.next()) {
      OldRows old = lookup(table, files);
      long[] rowIds = old.rowIds(rows.chunk().size());
      writer.write(selection(rows.chunk(), rowIds));
      writtenIds = fold(writtenIds, rowIds);
      found = found.plus(old);
    }
    written = true;
  }

  /// Old rows that were found have moved, or are gone. Moved rows keep their ids, and the files are
  /// good as they are; a row whose old row is gone is a new one, and they are written again.
  private void findAgain(Table table, Collection<LiveFile> files) {
    long ids = NO_IDS;
    rows.rewind();
    found = OldRows.none();
    while (rows.next()) {
      OldRows old = lookup(table, files);
      ids = fold(ids, old.rowIds(rows.chunk().size()));
      found = found.plus(old);
    }
    if (ids != writtenIds) {
      writer.abandon();
      rows.rewind();
      writeAll(table, files);
    }
  }

  /// What was found is still there: only files that were not looked at can hold more. A row in one
  /// of them may be what a row that was written as new continues.
  private void lookIntoNew(Table table, LiveFiles files, OldRows still) {
    Collection<LiveFile> unknown = still.notIn(files);
    OldRows more = OldRows.none();
    rows.rewind();
    while (!unknown.isEmpty() && rows.next()) {
      more = more.plus(lookup(table, unknown));
    }
    if (more.withRows().isEmpty()) {
      found = still.plus(more);
    } else {
      findAgain(table, files.files());
    }
  }

  private static long fold(long ids, long[] rowIds) {
    long folded = ids;
    for (long id : rowIds) {
      folded = folded * 0x9E3779B97F4A7C15L + id;
    }
    return folded;
  }

  private OldRows lookup(Table table, Collection<LiveFile> files) {
    Survivors chunk = rows.chunk();
    if (files.isEmpty() || chunk.size() == 0) {
      return OldRows.none();
    }
    boolean prunable = PartitionKeys.arePrunable(table.specs(), key);
    PartitionKeys partitions =
        new PartitionKeys(table.specs(), key, prunable ? rows.keyRows() : null);
    return new KeyLookup(
            table, key, chunk.keys(), continued(chunk), partitions, services.keyPages())
        .find(files);
  }

  /// The keys whose new row is the old row with other values.
  private static BitSet continued(Survivors chunk) {
    BitSet out = new BitSet(chunk.size());
    out.set(0, chunk.size());
    out.andNot(chunk.deletes());
    out.andNot(chunk.reborn());
    return out;
  }

  private Selection selection(Survivors chunk, long[] rowIds) {
    int count = chunk.upserts();
    int[] source = new int[count];
    int[] row = new int[count];
    long[] ids = new long[count];
    int at = 0;
    for (int i = 0; i < chunk.size(); i++) {
      if (!chunk.isDelete(i)) {
        source[at] = chunk.sources()[i];
        row[at] = chunk.rows()[i];
        ids[at++] = rowIds[i];
      }
    }
    return new Selection(
        count == 0 ? List.of() : rows.sources(), source, row, Arrays.copyOf(ids, at));
  }

  @Override
  public boolean truncates() {
    return rows.truncated();
  }

  @Override
  public boolean needsBase() {
    return true;
  }

  @Override
  public void close() {
    rows.close();
  }
}
