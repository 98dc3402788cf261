package io.icewal.table;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import java.util.List;
import java.util.Objects;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes a table icewal's: format version, properties, key, an empty snapshot and the position in
/// one commit, over the very metadata that was checked. Used once, by one thread.
final class AdoptionCommit {
  private static final Logger LOG = LoggerFactory.getLogger(AdoptionCommit.class);

  /// The table is not the one that was checked; nothing was sent.
  private static final class Changed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Changed(String message) {
      super(message);
    }
  }

  private final Table table;
  private final AdoptionPlan plan;
  private @Nullable Long snapshotId;

  AdoptionCommit(Table table, AdoptionPlan plan) {
    this.table = table;
    this.plan = plan;
  }

  /// @return null if it is done; else why it is not, as the table is no longer what was checked
  /// @throws IcewalException UNAVAILABLE if nothing was sent; UNKNOWN if the outcome could not be
  ///   looked up; INVALID if the table is gone
  @Nullable String attempt(Position end) {
    GuardedOperations guard =
        new GuardedOperations(((HasTableOperations) table).operations(), this::requireUnchanged);
    try {
      commit(Transactions.newTransaction(table.name(), guard), end);
      return null;
    } catch (Changed e) {
      return e.getMessage();
    } catch (NoSuchTableException e) {
      throw new IcewalException(ErrorKind.INVALID, "table " + table.name() + " is gone", e);
    } catch (RuntimeException e) {
      return afterFailure(guard, e);
    }
  }

  private void commit(Transaction transaction, Position end) {
    UpdateProperties properties = transaction.updateProperties();
    if (plan.metadata().formatVersion() < AdoptionPlan.FORMAT_VERSION) {
      properties.set(TableProperties.FORMAT_VERSION, Integer.toString(AdoptionPlan.FORMAT_VERSION));
    }
    plan.properties().forEach(properties::set);
    properties.commit();
    if (plan.changesSchema()) {
      plan.changeSchema(transaction.updateSchema());
    }
    IcewalTables.begin(transaction, end, List.of());
    snapshotId = transaction.table().currentSnapshot().snapshotId();
    transaction.commitTransaction();
  }

  private void requireUnchanged(@Nullable TableMetadata base) {
    String change = base == null ? "it is gone" : change(plan.metadata(), base);
    if (change != null) {
      throw new Changed(change);
    }
  }

  /// What of all that was looked at is different; null for nothing.
  private static @Nullable String change(TableMetadata checked, TableMetadata base) {
    if (!checked.uuid().equals(base.uuid())) {
      return "it is another table now";
    }
    if (!Objects.equals(snapshotId(checked), snapshotId(base))) {
      return "it was at snapshot " + snapshotId(checked) + " and is at " + snapshotId(base);
    }
    if (!checked.schema().sameSchema(base.schema()) || !checked.spec().equals(base.spec())) {
      return "its columns, key or partitioning were changed";
    }
    if (checked.formatVersion() != base.formatVersion()
        || !checked.properties().equals(base.properties())) {
      return "its format version or properties were changed";
    }
    return null;
  }

  private static @Nullable Long snapshotId(TableMetadata metadata) {
    Snapshot current = metadata.currentSnapshot();
    return current == null ? null : current.snapshotId();
  }

  private @Nullable String afterFailure(GuardedOperations guard, RuntimeException cause) {
    // Iceberg cannot apply a change of the schema again to a table that has moved.
    boolean refused =
        cause instanceof CommitFailedException
            || cause instanceof ValidationException
            || cause instanceof IllegalArgumentException;
    if (!guard.sent() && !refused) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE,
          "adoption of " + table.name() + " could not be prepared: " + cause,
          cause);
    }
    LOG.info("Adoption of {} did not succeed at once, looking: {}", table.name(), cause.toString());
    TableMetadata now = refresh(guard, cause);
    return snapshotId != null && now.snapshot(snapshotId) != null
        ? null
        : String.valueOf(cause.getMessage());
  }

  private TableMetadata refresh(GuardedOperations guard, RuntimeException cause) {
    try {
      return guard.refresh();
    } catch (NoSuchTableException e) {
      e.addSuppressed(cause);
      throw new IcewalException(ErrorKind.INVALID, "table " + table.name() + " is gone", e);
    } catch (RuntimeException e) {
      e.addSuppressed(cause);
      throw new IcewalException(
          guard.sent() ? ErrorKind.UNKNOWN : ErrorKind.UNAVAILABLE,
          "adoption of " + table.name() + " failed and the table cannot be loaded: " + cause,
          e);
    }
  }
}
