package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.table.DeletionVectors;
import io.icewal.table.LiveFile;
import io.icewal.table.LiveFiles;
import io.icewal.table.ManifestCache;
import io.icewal.table.OldRows;
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

  private final CyclePlan plan;
  private final KeyColumns key;
  private final Parts parts;
  private final ManifestCache manifests;
  private OldRows found = OldRows.none();
  private @Nullable List<PartResult> written;
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
    List<PartResult> before = written;
    if (plan.truncates()) {
      if (before == null) {
        write(table, NO_FILE);
      }
      return DeletionVectors.allOf(files);
    }
    OldRows still = found.unchangedIn(files);
    if (before == null) {
      write(table, /* lookInto= */ null);
    } else if (still.withRows().size() < found.withRows().size()) {
      findAgain(table, before);
    } else {
      lookIntoNew(table, files, still, before);
    }
    return DeletionVectors.write(table, found, attemptName);
  }

  private void write(Table table, @Nullable Set<String> lookInto) {
    List<PartResult> results = run(/* writes= */ true, lookInto, table);
    written = results;
    found = all(results);
  }

  /// Old rows that were found have moved, or are gone. Moved rows keep their ids, and the files are
  /// good as they are; a row whose old row is gone is a new one, and they are written again. What
  /// was written before stays, as a commit that names it may have been sent: orphan removal takes
  /// it.
  private void findAgain(Table table, List<PartResult> before) {
    List<PartResult> again = run(/* writes= */ false, /* lookInto= */ null, table);
    if (ids(again).equals(ids(before))) {
      found = all(again);
    } else {
      write(table, /* lookInto= */ null);
    }
  }

  /// What was found is still there: only files that were not looked at can hold more. A row in one
  /// of them may be what a row that was written as new continues.
  private void lookIntoNew(Table table, LiveFiles files, OldRows still, List<PartResult> before) {
    Set<String> unknown =
        still.notIn(files).stream().map(LiveFile::location).collect(Collectors.toSet());
    OldRows more =
        unknown.isEmpty() ? OldRows.none() : all(run(/* writes= */ false, unknown, table));
    if (more.withRows().isEmpty()) {
      found = still.plus(more);
    } else {
      findAgain(table, before);
    }
  }

  private List<PartResult> run(boolean writes, @Nullable Set<String> lookInto, Table table) {
    tasks++;
    return parts.run(new PartTask(plan.name() + "-rows" + tasks, writes, lookInto), table);
  }

  private static OldRows all(List<PartResult> results) {
    OldRows all = OldRows.none();
    for (PartResult result : results) {
      all = all.plus(result.found());
    }
    return all;
  }

  private static List<Long> ids(List<PartResult> results) {
    return results.stream().map(PartResult::ids).toList();
  }

  @Override
  public List<DataFile> files() {
    return Appends.files(written);
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
