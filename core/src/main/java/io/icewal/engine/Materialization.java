package io.icewal.engine;

import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.MaterializeResult;
import io.icewal.materialize.Materializer;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.IcewalTables;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.catalog.TableIdentifier;

/// Takes what is in the log into a snapshot here and now, as a maintenance runner does.
/// Thread-safe.
public final class Materialization {
  /// Others commit to the table too; that many times in turn, it is not for us to go on.
  private static final int CONFLICTS_MAX = 20;

  private final EngineLog log;

  public Materialization(EngineLog log) {
    this.log = log;
  }

  /// Materializes everything that the log holds for a table now; what comes meanwhile may be taken
  /// too.
  ///
  /// @return what was done
  /// @throws IcewalException CONFLICT if the table was replaced; UNAVAILABLE if others were always
  ///   faster
  public Materialized run(IcewalTables tables, TableIdentifier name, UUID tableId) {
    Position end = log.logEnd(tableId);
    try (BufferAllocator rows =
        log.allocator().newChildAllocator("materialize", 0, Long.MAX_VALUE)) {
      Materializer materializer =
          new Materializer(tables, log.tails(), MaterializeConfig.defaults(), rows, log.random());
      int conflicts = 0;
      MaterializeResult result = materializer.step(name, tableId);
      Materialized done = Materialized.NOTHING.plus(result);
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
        done = done.plus(result);
      }
      return done;
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
