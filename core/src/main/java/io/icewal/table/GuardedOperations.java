package io.icewal.table;

import java.util.function.Consumer;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CleanableFailure;
import org.jspecify.annotations.Nullable;

/// Table operations for one commit, over metadata that is known, and of which a check may be made.
///
/// An Iceberg transaction that loses a race refreshes and applies its updates again, even where the
/// table allows no retries; and its validations see snapshots only. The check here is made of the
/// very metadata that the catalog then compares and swaps, in each attempt.
///
/// Nothing is loaded that is known: a transaction begins over the metadata that its files were made
/// for, and after it has landed what was committed is the table.
///
/// A refusal is passed on as [Refused], which Iceberg neither retries nor cleans up after: behind a
/// client that repeats requests by itself it may be the answer to a repeat of a commit that has
/// landed.
final class GuardedOperations extends ForwardingTableOperations {
  /// The catalog refused the commit. The cause says why: a CommitFailedException if the table had
  /// changed.
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final RuntimeException refusal;

    Refused(RuntimeException refusal) {
      super(refusal.getMessage(), refusal);
      this.refusal = refusal;
    }

    RuntimeException refusal() {
      return refusal;
    }
  }

  private final @Nullable Consumer<@Nullable TableMetadata> check;
  private boolean begun;
  private boolean sent;
  private @Nullable TableMetadata committed;

  /// Without a check: only what the catalog itself compares must be as it was loaded.
  GuardedOperations(TableOperations delegate) {
    this(delegate, unchecked -> {});
  }

  /// @param check throws if there must be no commit over the given metadata; null in tests that
  ///   show what the guard is for
  GuardedOperations(TableOperations delegate, @Nullable Consumer<@Nullable TableMetadata> check) {
    super(delegate);
    this.check = check;
  }

  /// Whether a commit was handed to the catalog.
  boolean sent() {
    return sent;
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
    if (check != null) {
      check.accept(base);
    }
    sent = true;
    try {
      delegate.commit(base, metadata);
    } catch (RuntimeException e) {
      throw check != null && e instanceof CleanableFailure ? new Refused(e) : e;
    }
    committed = metadata;
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
  public boolean requireStrictCleanup() {
    return true;
  }
}
