package io.icewal.engine;

import io.icewal.materialize.LocalExecutor;
import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.MaterializeResult;
import io.icewal.materialize.Materializer;
import io.icewal.materialize.PartExecutor;
import io.icewal.materialize.PartServices;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.parquet.KeyPageCache;
import io.icewal.table.IcewalTables;
import io.icewal.table.ManifestCache;
import java.util.UUID;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.catalog.TableIdentifier;

/// Takes what is in the log into a snapshot here and now, as a maintenance runner does.
/// Thread-safe.
public final class Materialization {
  /// Others commit to the table too; that many times in turn, it is not for us to go on.
  private static final int CONFLICTS_MAX = 20;

  private final EngineLog log;
  private final Function<PartServices, PartExecutor> executors;

  /// Works in this process.
  public Materialization(EngineLog log) {
    this(log, LocalExecutor::new);
  }

  /// @param executors makes what works on cycles, from what is there in this process
  Materialization(EngineLog log, Function<PartServices, PartExecutor> executors) {
    this.log = log;
    this.executors = executors;
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
      PartServices services = services(rows);
      Materializer materializer =
          new Materializer(tables, log.tails(), services, executors.apply(services), log.random());
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

  /// What is there in this process for one materialization.
  static PartServices services(BufferAllocator rows) {
    return new PartServices(
        MaterializeConfig.defaults(), rows, new ManifestCache(), new KeyPageCache());
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
