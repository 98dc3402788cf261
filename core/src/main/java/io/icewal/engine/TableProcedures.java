package io.icewal.engine;

import io.icewal.materialize.LocalExecutor;
import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.PartExecutor;
import io.icewal.materialize.PartServices;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.statement.StatementTable;
import io.icewal.table.Adoption;
import io.icewal.table.AdoptionReport;
import io.icewal.table.AdoptionRequest;
import io.icewal.table.IcewalTables;
import io.icewal.table.TablePosition;
import io.icewal.wal.Pause;
import java.time.Duration;
import java.util.function.Function;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;

/// What engines offer as procedures on a table. Thread-safe.
public final class TableProcedures {
  private static final Duration FLUSH_PAUSE = Duration.ofMillis(200);

  /// A minute.
  private static final int FLUSH_PAUSES_MAX = 300;

  private final EngineLog log;
  private final Materialization materialization;
  private final Pause pause;
  private final int flushPausesMax;

  /// Works in this process.
  public TableProcedures(EngineLog log) {
    this(log, LocalExecutor::new);
  }

  /// @param executors makes what works on materializations, from what is there in this process
  public TableProcedures(EngineLog log, Function<PartServices, PartExecutor> executors) {
    this(log, new Materialization(log, executors), Pause.REAL, FLUSH_PAUSES_MAX);
  }

  TableProcedures(EngineLog log, Pause pause, int flushPausesMax) {
    this(log, new Materialization(log), pause, flushPausesMax);
  }

  private TableProcedures(
      EngineLog log, Materialization materialization, Pause pause, int flushPausesMax) {
    this.log = log;
    this.materialization = materialization;
    this.pause = pause;
    this.flushPausesMax = flushPausesMax;
  }

  /// Makes a table due and waits, up to a minute, until what was acknowledged before is in an
  /// Iceberg snapshot: a maintenance runner does it.
  ///
  /// @param statement the id of the engine's statement
  /// @return the table's position then
  /// @throws IcewalException INVALID for a table that is not icewal's; UNAVAILABLE if it takes
  ///   longer
  public Position flush(IcewalTables tables, TableIdentifier name, String statement) {
    Table table = tables.load(name);
    StatementTable target = StatementTable.of(name.toString(), table, positionOf(name, table));
    Position block = log.statements().flush(target, statement);
    for (int pauses = 0; pauses <= flushPausesMax; pauses++) {
      Position reached = positionOf(name, tables.load(name));
      if (reached.number() >= block.number()) {
        return reached;
      }
      pause.pause(FLUSH_PAUSE);
    }
    throw new IcewalException(
        ErrorKind.UNAVAILABLE,
        "table "
            + name
            + " was not materialized in "
            + FLUSH_PAUSE.multipliedBy(flushPausesMax).toSeconds()
            + " s; does a maintenance runner run?");
  }

  /// Takes what was acknowledged before into an Iceberg snapshot here and now.
  ///
  /// @throws IcewalException INVALID for a table that is not icewal's, and as [Materialization#run]
  public Materialized materialize(IcewalTables tables, TableIdentifier name) {
    Table table = tables.load(name);
    positionOf(name, table);
    return materialization.run(tables, name, table.uuid());
  }

  /// Takes over a table that another engine made.
  ///
  /// @throws IcewalException as [Adoption#adopt]
  public AdoptionReport adopt(IcewalTables tables, AdoptionRequest request) {
    return new Adoption(tables, log.allocator(), MaterializeConfig.defaults().spillFolder())
        .adopt(request, log::logEnd);
  }

  private static Position positionOf(TableIdentifier name, Table table) {
    return TablePosition.valid(table)
        .map(TablePosition::position)
        .orElseThrow(
            () ->
                new IcewalException(
                    ErrorKind.INVALID,
                    "table " + name + " is not icewal's: CALL system.adopt takes it over"));
  }
}
