package io.icewal.table;

import java.util.List;
import org.apache.iceberg.DataFile;
import org.jspecify.annotations.Nullable;

/// The files that one commit adds and removes.
///
/// @param base the snapshot in which old rows were found; null for an append-only change, which is
///   right on any snapshot
/// @param added new data files
/// @param deletes what deletes old rows
/// @param truncates whether all rows of the base go, so that it must still be the current snapshot
public record TableChange(
    @Nullable Long base, List<DataFile> added, DeletionVectors deletes, boolean truncates) {
  public TableChange {
    added = List.copyOf(added);
  }

  /// A change that leaves other rows as they are.
  public TableChange(@Nullable Long base, List<DataFile> added, DeletionVectors deletes) {
    this(base, added, deletes, false);
  }

  /// The only snapshot on which this change is right; null if it is also right on later ones that
  /// pass Iceberg's validations.
  @Nullable Long exactBase() {
    return truncates || !deletes.removedFiles().isEmpty() ? base : null;
  }

  /// Whether only the position moves.
  public boolean isEmpty() {
    return added.isEmpty()
        && deletes.added().isEmpty()
        && deletes.replaced().isEmpty()
        && deletes.removedFiles().isEmpty();
  }
}
