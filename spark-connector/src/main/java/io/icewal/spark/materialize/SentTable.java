package io.icewal.spark.materialize;

import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.source.SerializableTableWithSize;
import org.jspecify.annotations.Nullable;

/// A table as executors need it, its current snapshot included. Iceberg's own form reads the
/// snapshot from the metadata file when it is asked for, and that file goes with the commits of
/// others while a job runs.
final class SentTable extends SerializableTableWithSize {
  /// As JSON, which every serializer of Spark can take.
  private final @Nullable String snapshot;

  private SentTable(Table table) {
    super(table);
    Snapshot current = table.currentSnapshot();
    snapshot = current == null ? null : SnapshotParser.toJson(current);
  }

  static Table of(Table table) {
    return new SentTable(table);
  }

  @Override
  public @Nullable Snapshot currentSnapshot() {
    return snapshot == null ? null : SnapshotParser.fromJson(snapshot);
  }
}
