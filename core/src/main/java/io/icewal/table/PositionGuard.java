package io.icewal.table;

import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;

/// Table operations that commit only over metadata whose position is the expected one.
///
/// An Iceberg transaction that loses a race refreshes and applies its updates again, even where the
/// table allows no retries; and its validations see snapshots only. So two materializers of one
/// table could both commit, and each row would be there twice. The comparison here is made with the
/// very metadata that the catalog then compares and swaps.
///
/// Nothing is loaded that is known: a transaction begins over the metadata that its files were made
/// for, and after it has landed what was committed is the table.
///
/// A lost race is passed on as [LostRace], which Iceberg neither retries nor cleans up after:
/// behind a client that repeats requests by itself, "conflict" may be the answer to a repeat of a
/// commit that has landed.
final class PositionGuard implements TableOperations {
  /// The position was not the expected one; nothing was sent.
  static final class PositionMoved extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PositionMoved(String message) {
      super(message);
    }
  }

  /// The catalog refused the commit, since the table had changed.
  static final class LostRace extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LostRace(CommitFailedException cause) {
      super(cause.getMessage(), cause);
    }
  }

  private final TableOperations delegate;
  private final TablePosition expected;
  private final @Nullable Long exactBase;
  private final Guards guards;
  private boolean begun;
  private boolean sent;
  private @Nullable TableMetadata committed;

  /// @param exactBase the only snapshot on which the change is right; null if Iceberg's validations
  ///   tell. They do not see a row that was deleted meanwhile in a file that the change removes.
  PositionGuard(
      TableOperations delegate, TablePosition expected, @Nullable Long exactBase, Guards guards) {
    this.delegate = delegate;
    this.expected = expected;
    this.exactBase = exactBase;
    this.guards = guards;
  }

  /// Whether a commit was handed to the catalog.
  boolean sent() {
    return sent;
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
    if (guards.position()) {
      check(base);
    }
    sent = true;
    try {
      delegate.commit(base, metadata);
    } catch (CommitFailedException e) {
      throw guards.position() ? new LostRace(e) : e;
    }
    committed = metadata;
  }

  private void check(@Nullable TableMetadata base) {
    if (base == null) {
      throw new PositionMoved("the table is gone");
    }
    String replaced = TablePosition.whyReplaced(base);
    if (replaced != null) {
      throw new PositionMoved("the table was replaced: " + replaced);
    }
    TablePosition seen = TablePosition.read(base).orElseThrow();
    if (!seen.equals(expected)) {
      throw new PositionMoved("position is " + seen + ", expected " + expected);
    }
    if (guards.exactBase()
        && exactBase != null
        && base.currentSnapshot().snapshotId() != exactBase) {
      throw new ValidationException(
          "the table is at snapshot %s, files were removed from %s",
          base.currentSnapshot().snapshotId(), exactBase);
    }
  }

  @Override
  public TableMetadata current() {
    return committed != null ? committed : delegate.current();
  }

  /// The first call is a transaction's, when it begins: whether the table has moved since it was
  /// loaded is seen by the next one, when it commits.
  @Override
  public TableMetadata refresh() {
    boolean known = !begun || committed != null;
    begun = true;
    return known ? current() : delegate.refresh();
  }

  @Override
  public FileIO io() {
    return delegate.io();
  }

  @Override
  public EncryptionManager encryption() {
    return delegate.encryption();
  }

  @Override
  public String metadataFileLocation(String fileName) {
    return delegate.metadataFileLocation(fileName);
  }

  @Override
  public LocationProvider locationProvider() {
    return delegate.locationProvider();
  }

  @Override
  public TableOperations temp(TableMetadata uncommittedMetadata) {
    return delegate.temp(uncommittedMetadata);
  }

  @Override
  public long newSnapshotId() {
    return delegate.newSnapshotId();
  }

  @Override
  public boolean requireStrictCleanup() {
    return true;
  }
}
