package io.icewal.materialize;

import io.icewal.table.DeletionVectors;
import io.icewal.table.LiveFiles;
import io.icewal.table.ManifestCache;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/// The rows of an append-only table: all of them, in log order, without any look at old rows.
/// Blocks before a truncation are passed over; the truncation removes all files that are there.
final class Appends implements Cycle.Change {
  private final CyclePlan plan;
  private final Parts parts;
  private final ManifestCache manifests;
  private @Nullable List<DataFile> written;

  Appends(CyclePlan plan, Parts parts, ManifestCache manifests) {
    this.plan = plan;
    this.parts = parts;
    this.manifests = manifests;
  }

  @Override
  public DeletionVectors prepare(Table table, String attemptName) {
    if (written == null) {
      PartTask task = new PartTask(plan.name() + "-rows", /* writes= */ true, Set.of());
      written = files(parts.run(task, table));
    }
    return plan.truncates()
        ? DeletionVectors.allOf(LiveFiles.of(table, plan.key(), manifests))
        : DeletionVectors.NONE;
  }

  static List<DataFile> files(List<PartResult> results) {
    return results.stream().flatMap(result -> result.files().stream()).toList();
  }

  @Override
  public List<DataFile> files() {
    List<DataFile> done = written;
    return done == null ? List.of() : done;
  }

  @Override
  public boolean truncates() {
    return plan.truncates();
  }

  @Override
  public boolean needsBase() {
    return plan.truncates();
  }

  @Override
  public void close() {
    parts.close();
  }
}
