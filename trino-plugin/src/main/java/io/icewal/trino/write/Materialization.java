package io.icewal.trino.write;

import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.MaterializeResult;
import io.icewal.materialize.Materializer;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.IcewalTables;
import io.icewal.trino.services.Warehouse;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.catalog.TableIdentifier;

/// Takes what is in the log into a snapshot here and now, as a maintenance runner does.
/// Thread-safe.
public final class Materialization {
  /// Others commit to the table too; that many times in turn, it is not for us to go on.
  private static final int CONFLICTS_MAX = 20;

  private final Warehouse warehouse;

  public Materialization(Warehouse warehouse) {
    this.warehouse = warehouse;
  }

  /// Materializes everything that the log holds for a table now; what comes meanwhile may be taken
  /// too.
  public void run(IcewalTables tables, TableIdentifier name, UUID tableId) {
    Position end = warehouse.logEnd(tableId);
    try (BufferAllocator rows =
        warehouse.allocator().newChildAllocator("materialize", 0, Long.MAX_VALUE)) {
      Materializer materializer =
          new Materializer(
              tables, warehouse.tails(), MaterializeConfig.defaults(), rows, warehouse.random());
      int conflicts = 0;
      MaterializeResult result = materializer.step(name, tableId);
      while (isUnfinished(result, end)) {
        conflicts = result.status() == MaterializeResult.Status.CONFLICT ? conflicts + 1 : 0;
        if (conflicts == CONFLICTS_MAX) {
          throw new IcewalException(
              ErrorKind.UNAVAILABLE,
              "table "
                  + name
                  + " could not be materialized: others changed it during each of "
                  + CONFLICTS_MAX
                  + " tries, the last time: "
                  + result.detail());
        }
        result = materializer.step(name, tableId);
      }
    }
  }

  private static boolean isUnfinished(MaterializeResult result, Position end) {
    if (result.status() == MaterializeResult.Status.REPLACED) {
      throw new IcewalException(ErrorKind.CONFLICT, result.detail());
    }
    Position reached = result.position();
    return result.status() == MaterializeResult.Status.CONFLICT
        || (result.more() && (reached == null || reached.number() < end.number()));
  }
}
