package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.table.DeletionVectors;
import io.icewal.table.FoundRows;
import io.icewal.table.LiveFile;
import io.icewal.table.LiveFiles;
import io.icewal.table.ManifestCache;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/// The rows of a keyed table: old rows of their keys are looked for, new rows are written.
///
/// The first [#prepare] looks into the files that can hold a key, and writes rows with the
/// `_row_id` that they continue. A later one, after a conflict, looks only into files that are new,
/// unless rows that it had found are no longer where they were.
final class Upserts implements Cycle.Change {
  private static final Set<String> NO_FILE = Set.of();

  /// What came of writing the rows.
  ///
  /// @param ids of each part
  private record Written(List<DataFile> files, List<Long> ids) {
    static Written of(List<PartResult> results) {
      return new Written(Appends.files(results), results.stream().map(PartResult::ids).toList());
    }
  }

  private final CyclePlan plan;
  private final KeyColumns key;
  private final Parts parts;
  private final ManifestCache manifests;
  private @Nullable Written written;
  private FoundRows found = new FoundRows();

  /// The files in which that was found, and those that were seen to have nothing.
  private LiveFiles known = LiveFiles.NONE;

  private int tasks;

  Upserts(CyclePlan plan, Parts parts, ManifestCache manifests) {
    this.plan = plan;
    this.key = plan.key();
    this.parts = parts;
    this.manifests = manifests;
  }

  @Override
  public DeletionVectors prepare(Table table, String attemptName) {
    LiveFiles files = LiveFiles.of(table, key, manifests);
    Written before = written;
    if (plan.truncates()) {
      if (before == null) {
        write(table, NO_FILE);
      }
      return DeletionVectors.allOf(files);
    }
    if (before == null) {
      write(table, /* lookInto= */ null);
    } else if (found.areIn(files)) {
      lookIntoNew(table, files, before);
    } else {
      findAgain(table, before);
    }
    known = files;
    return DeletionVectors.write(table, found, attemptName);
  }

  private void write(Table table, @Nullable Set<String> lookInto) {
    List<PartResult> results = run(/* writes= */ true, lookInto, table);
    written = Written.of(results);
    found = found(results);
  }

  /// Old rows that were found have moved, or are gone. Moved rows keep their ids, and the files are
  /// good as they are; a row whose old row is gone is a new one, and they are written again. What
  /// was written before stays, as a commit that names it may have been sent: orphan removal takes
  /// it.
  private void findAgain(Table table, Written before) {
    List<PartResult> again = run(/* writes= */ false, /* lookInto= */ null, table);
    if (Written.of(again).ids().equals(before.ids())) {
      found = found(again);
    } else {
      write(table, /* lookInto= */ null);
    }
  }

  /// What was found is still there: only files that are not known can hold more. A row in one of
  /// them may be what a row that was written as new continues.
  private void lookIntoNew(Table table, LiveFiles files, Written before) {
    Set<String> unknown =
        files.notIn(known).stream().map(LiveFile::location).collect(Collectors.toSet());
    if (!unknown.isEmpty() && found(run(/* writes= */ false, unknown, table)).count() > 0) {
      findAgain(table, before);
    }
  }

  private List<PartResult> run(boolean writes, @Nullable Set<String> lookInto, Table table) {
    tasks++;
    return parts.run(new PartTask(plan.name() + "-rows" + tasks, writes, lookInto), table);
  }

  private static FoundRows found(List<PartResult> results) {
    return FoundRows.all(results.stream().map(PartResult::found).toList());
  }

  @Override
  public List<DataFile> files() {
    Written done = written;
    return done == null ? List.of() : done.files();
  }

  @Override
  public boolean truncates() {
    return plan.truncates();
  }

  @Override
  public boolean needsBase() {
    return true;
  }

  @Override
  public void close() {
    parts.close();
  }
}
