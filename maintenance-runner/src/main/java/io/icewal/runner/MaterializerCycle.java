package io.icewal.runner;

import io.icewal.materialize.MaterializeResult;
import io.icewal.materialize.Materializer;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.IcewalTables;
import io.icewal.table.TableSearch;
import io.icewal.table.TableSearch.Found;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/// A cycle of core's [Materializer], on the table of a UUID, whatever its name is now.
///
/// The last known name is tried first, in each way in which its text can be read. If it is gone, or
/// is another table's by now, the UUID is looked for. Not thread-safe.
final class MaterializerCycle implements TableCycle {
  private final Materializer materializer;
  private final IcewalTables tables;
  private final int searchedTablesMax;
  private final Map<UUID, TableIdentifier> names = new HashMap<>();

  /// @param searchedTablesMax how many tables are looked at for a UUID whose name is gone
  MaterializerCycle(Materializer materializer, IcewalTables tables, int searchedTablesMax) {
    this.materializer = materializer;
    this.tables = tables;
    this.searchedTablesMax = searchedTablesMax;
  }

  @Override
  public Result run(UUID tableId, String lastName) {
    TableIdentifier name = nameOf(tableId, lastName);
    try {
      MaterializeResult result = materializer.step(name, tableId);
      if (result.tableId().equals(tableId)) {
        return result(result);
      }
    } catch (IcewalException e) {
      if (e.kind() != ErrorKind.INVALID || tables.find(tableId, name, 0) instanceof Found) {
        throw e;
      }
    }
    names.remove(tableId);
    return search(tableId, name);
  }

  private Result search(UUID tableId, TableIdentifier lastName) {
    TableSearch search = tables.find(tableId, lastName, searchedTablesMax);
    if (search instanceof TableSearch.Gone) {
      return new Result(Outcome.GONE, 0, 0, "there is no table " + lastName + " any more");
    }
    if (!(search instanceof Found found)) {
      return new Result(Outcome.UNFIT, 0, 0, notSeen(lastName));
    }
    MaterializeResult result = materializer.step(found.name(), tableId);
    if (!result.tableId().equals(tableId)) {
      return new Result(Outcome.MORE, 0, 0, "renamed while it was looked for");
    }
    names.put(tableId, found.name());
    return result(result);
  }

  private String notSeen(TableIdentifier lastName) {
    return "table "
        + lastName
        + " has another name now, or is gone: it is not among the first "
        + searchedTablesMax
        + " tables of the catalog";
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

  /// The name to try first. In a text of several dots the namespace may end at each of them, or a
  /// table's own name may have dots: the table of the UUID tells.
  private TableIdentifier nameOf(UUID tableId, String text) {
    TableIdentifier known = names.get(tableId);
    if (known != null) {
      return known;
    }
    List<TableIdentifier> possible = possible(text);
    for (TableIdentifier name : possible) {
      if (possible.size() > 1 && tables.isNamed(tableId, name)) {
        names.put(tableId, name);
        return name;
      }
    }
    return possible.get(0);
  }

  /// The names that a text may stand for, the one with the longest namespace first.
  private static List<TableIdentifier> possible(String text) {
    List<TableIdentifier> possible = new ArrayList<>();
    for (int dot = text.lastIndexOf('.'); dot > 0; dot = text.lastIndexOf('.', dot - 1)) {
      String[] levels = text.substring(0, dot).split("\\.", -1);
      String name = text.substring(dot + 1);
      if (!name.isEmpty() && !List.of(levels).contains("")) {
        possible.add(TableIdentifier.of(Namespace.of(levels), name));
      }
    }
    return possible.isEmpty() ? List.of(TableIdentifier.of("unknown")) : possible;
  }
}
