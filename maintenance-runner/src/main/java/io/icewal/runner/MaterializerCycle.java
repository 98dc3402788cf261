package io.icewal.runner;

import io.icewal.materialize.MaterializeResult;
import io.icewal.materialize.Materializer;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.IcewalTables;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;

/// A cycle of core's [Materializer], on the table of a UUID, whatever its name is now.
///
/// The last known name is tried first. If it is gone, or is another table's by now, the UUID is
/// looked for. Not thread-safe.
final class MaterializerCycle implements TableCycle {
  /// How many tables are looked at for a UUID whose name is gone.
  private static final int SEARCHED_TABLES_MAX = 1000;

  private final Materializer materializer;
  private final IcewalTables tables;
  private final Map<UUID, TableIdentifier> renamed = new HashMap<>();

  MaterializerCycle(Materializer materializer, IcewalTables tables) {
    this.materializer = materializer;
    this.tables = tables;
  }

  @Override
  public Result run(UUID tableId, String lastName) {
    TableIdentifier name = renamed.getOrDefault(tableId, identifier(lastName));
    try {
      MaterializeResult result = materializer.step(name, tableId);
      if (result.tableId().equals(tableId)) {
        return result(result);
      }
    } catch (IcewalException e) {
      if (e.kind() != ErrorKind.INVALID || tables.find(tableId, name, 1).isPresent()) {
        throw e;
      }
    }
    renamed.remove(tableId);
    return search(tableId, name);
  }

  private Result search(UUID tableId, TableIdentifier lastName) {
    Optional<Table> found = tables.find(tableId, lastName, SEARCHED_TABLES_MAX);
    if (found.isEmpty()) {
      return new Result(Outcome.GONE, 0, 0, "there is no table " + lastName + " any more");
    }
    TableIdentifier name = name(found.get(), lastName);
    MaterializeResult result = materializer.step(name, tableId);
    if (!result.tableId().equals(tableId)) {
      return new Result(Outcome.MORE, 0, 0, "renamed while it was looked for");
    }
    renamed.put(tableId, name);
    return result(result);
  }

  private static Result result(MaterializeResult result) {
    Position position = result.position();
    long number = position == null ? 0 : position.number();
    Outcome outcome =
        switch (result.status()) {
          case REPLACED -> Outcome.UNFIT;
          case CONFLICT, NOTHING_TO_DO, COMMITTED -> result.more() ? Outcome.MORE : Outcome.DONE;
        };
    return new Result(outcome, number, result.rows(), result.detail());
  }

  /// The name that the table was loaded by: its own, less the catalog's in front.
  private TableIdentifier name(Table table, TableIdentifier lastName) {
    String prefix = tables.catalog().name() + ".";
    String name = table.name();
    return name.startsWith(prefix) ? identifier(name.substring(prefix.length())) : lastName;
  }

  private static TableIdentifier identifier(String name) {
    return TableIdentifier.parse(name.isEmpty() ? "unknown" : name);
  }
}
