package io.icewal.materialize;

import io.icewal.materialize.DeltaWriter.Selection;
import io.icewal.merge.KeyColumns;
import io.icewal.merge.Survivors;
import io.icewal.table.FoundRows;
import io.icewal.table.KeyLookup;
import io.icewal.table.LiveFile;
import io.icewal.table.LiveFiles;
import io.icewal.table.OldRows;
import io.icewal.table.PartitionKeys;
import io.icewal.table.UnusedFiles;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Table;

/// Does tasks with the rows of one part of a cycle. What it has written is removed if it fails.
final class PartWork {
  private static final long NO_IDS = 0;

  private final Table planned;
  private final LogReader log;
  private final KeyColumns key;
  private final PartServices services;

  /// @param planned the table that the rows are written for
  PartWork(Table planned, LogReader log, PartServices services) {
    this.planned = planned;
    this.log = log;
    this.key = KeyColumns.of(planned.schema());
    this.services = services;
  }

  /// What a task writes.
  private interface Writing {
    PartResult to(DeltaWriter writer);
  }

  private PartResult write(String fileName, Writing writing) {
    DeltaWriter writer = new DeltaWriter(planned, key, fileName, services.allocator());
    try (Undo undo = new Undo(() -> UnusedFiles.delete(planned, writer.files()))) {
      PartResult result = writing.to(writer);
      undo.keep();
      return result;
    }
  }

  /// Writes rows of an append-only table, as many blocks at a time as a group has.
  PartResult append(List<List<BlockRef>> groups, String fileName) {
    return write(
        fileName,
        writer -> {
          groups.forEach(group -> append(group, writer));
          return new PartResult(writer.files(), new FoundRows(), NO_IDS);
        });
  }

  private void append(List<BlockRef> group, DeltaWriter writer) {
    List<VectorSchemaRoot> sources = new ArrayList<>();
    try (Batches batches = new Batches(log, key, services.allocator())) {
      batches.readAppends(group);
      for (int batch = 0; batch < batches.count(); batch++) {
        sources.add(batches.rows(batch, planned.schema()));
      }
      writer.writeAll(sources);
    } finally {
      sources.forEach(VectorSchemaRoot::close);
    }
  }

  /// Looks for the old rows of a keyed table's rows, and writes them with the `_row_id`s that they
  /// continue, chunk by chunk.
  ///
  /// @param rows before their first chunk
  PartResult upsert(SortedRows rows, PartTask task, Table now, String fileName) {
    List<LiveFile> files = new ArrayList<>();
    if (task.looks()) {
      for (LiveFile file : LiveFiles.of(now, key, services.manifests()).files()) {
        if (task.looksInto(file.location())) {
          files.add(file);
        }
      }
    }
    return write(fileName, writer -> upsert(rows, task, now, files, writer));
  }

  private PartResult upsert(
      SortedRows rows, PartTask task, Table now, List<LiveFile> files, DeltaWriter writer) {
    FoundRows found = new FoundRows();
    long ids = NO_IDS;
    while (rows.next()) {
      OldRows old = lookup(rows, now, files);
      long[] rowIds = old.rowIds(rows.chunk().size());
      if (task.writes()) {
        writer.write(selection(rows, rowIds));
      }
      ids = fold(ids, rowIds);
      found.add(old);
    }
    return new PartResult(writer.files(), found, ids);
  }

  private static long fold(long ids, long[] rowIds) {
    long folded = ids;
    for (long id : rowIds) {
      folded = folded * 0x9E3779B97F4A7C15L + id;
    }
    return folded;
  }

  private OldRows lookup(SortedRows rows, Table now, List<LiveFile> files) {
    Survivors chunk = rows.chunk();
    if (files.isEmpty() || chunk.size() == 0) {
      return OldRows.none();
    }
    boolean prunable = PartitionKeys.arePrunable(now.specs(), key);
    PartitionKeys partitions =
        new PartitionKeys(now.specs(), key, prunable ? rows.keyRows() : null);
    return new KeyLookup(now, key, chunk.keys(), continued(chunk), partitions, services.keyPages())
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

  private static Selection selection(SortedRows rows, long[] rowIds) {
    Survivors chunk = rows.chunk();
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
}
