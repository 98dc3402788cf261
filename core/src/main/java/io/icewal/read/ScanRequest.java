package io.icewal.read;

import io.icewal.model.Position;
import java.util.List;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// What to read.
///
/// @param table the table's name
/// @param columns names of columns, or dotted names of fields within structs, in the wanted order;
///   null for all columns; empty for rows without columns, which can still be counted
/// @param where a SQL condition, see [io.icewal.expression.Condition]; null for all rows
/// @param freshness whether the tail is read
/// @param atLeast everything up to this position must be in the result; null for whatever is there
/// @param snapshotId a snapshot to read instead of the current one, with its own schema and without
///   a tail; null for the current one
/// @param limit at most so many rows
public record ScanRequest(
    TableIdentifier table,
    @Nullable List<String> columns,
    @Nullable String where,
    Freshness freshness,
    @Nullable Position atLeast,
    @Nullable Long snapshotId,
    long limit) {
  public ScanRequest {
    columns = columns == null ? null : List.copyOf(columns);
    if (limit < 0) {
      throw new IllegalArgumentException("limit must be >= 0, got " + limit);
    }
  }

  /// All rows and columns, fresh.
  public static ScanRequest of(TableIdentifier table) {
    return new ScanRequest(table, null, null, Freshness.FRESH, null, null, Long.MAX_VALUE);
  }

  public ScanRequest withColumns(@Nullable List<String> newColumns) {
    return new ScanRequest(table, newColumns, where, freshness, atLeast, snapshotId, limit);
  }

  public ScanRequest withWhere(@Nullable String newWhere) {
    return new ScanRequest(table, columns, newWhere, freshness, atLeast, snapshotId, limit);
  }

  public ScanRequest withFreshness(Freshness newFreshness) {
    return new ScanRequest(table, columns, where, newFreshness, atLeast, snapshotId, limit);
  }

  public ScanRequest withAtLeast(@Nullable Position newAtLeast) {
    return new ScanRequest(table, columns, where, freshness, newAtLeast, snapshotId, limit);
  }

  public ScanRequest withSnapshotId(@Nullable Long newSnapshotId) {
    return new ScanRequest(table, columns, where, freshness, atLeast, newSnapshotId, limit);
  }

  public ScanRequest withLimit(long newLimit) {
    return new ScanRequest(table, columns, where, freshness, atLeast, snapshotId, newLimit);
  }
}
