package io.icewal.spark.ddl;

import io.icewal.config.IcewalConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.table.TablePosition;
import io.icewal.table.TableStart;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.jspecify.annotations.Nullable;

/// An ALTER TABLE, as iceberg-spark does it. Rows in the log follow field ids, so that they need no
/// change. Used by one thread.
public final class TableAlteration {
  private static final String CURRENT_SNAPSHOT = "current-snapshot-id";
  private static final String CHERRY_PICK = "cherry-pick-snapshot-id";

  /// What has a statement of its own, or none.
  private static final Map<String, String> RESERVED =
      Map.of(
          PrimaryKey.PROPERTY,
          "the key of a table cannot be changed",
          TablePosition.PROPERTY,
          "it cannot be set by hand",
          "sort-order",
          "use ALTER TABLE ... WRITE ORDERED BY",
          "identifier-fields",
          "the key of a table cannot be changed");

  private final List<TableChange> properties = new ArrayList<>();
  private final List<TableChange> columns = new ArrayList<>();
  private @Nullable String location;
  private @Nullable String currentSnapshot;
  private @Nullable String cherryPicked;

  /// @throws IcewalException INVALID for a property that cannot be changed
  public TableAlteration(TableChange... changes) {
    for (TableChange change : changes) {
      if (change instanceof TableChange.SetProperty set) {
        set(set);
      } else if (change instanceof TableChange.RemoveProperty remove) {
        refuseReserved(remove.property());
        properties.add(change);
      } else if (change instanceof TableChange.ColumnChange) {
        columns.add(change);
      } else {
        throw new UnsupportedOperationException("icewal cannot apply the table change " + change);
      }
    }
    if (currentSnapshot != null && cherryPicked != null) {
      throw new IcewalException(
          ErrorKind.INVALID, CURRENT_SNAPSHOT + " and " + CHERRY_PICK + " cannot be set at once");
    }
  }

  private void set(TableChange.SetProperty set) {
    refuseReserved(set.property());
    switch (set.property().toLowerCase(Locale.ROOT)) {
      case TableCatalog.PROP_LOCATION -> location = set.value();
      case CURRENT_SNAPSHOT -> currentSnapshot = set.value();
      case CHERRY_PICK -> cherryPicked = set.value();
      default -> properties.add(set);
    }
  }

  private static void refuseReserved(String property) {
    String why = RESERVED.get(property.toLowerCase(Locale.ROOT));
    if (why != null) {
      throw new IcewalException(
          ErrorKind.INVALID, "property '" + property + "' is reserved: " + why);
    }
  }

  /// Commits the changes.
  ///
  /// @param config of the log
  /// @throws IcewalException INVALID for columns that icewal does not keep, and for folders that
  ///   are not the table's own
  public void apply(Table table, IcewalConfig config) {
    checkFolders(table, config);
    if (currentSnapshot != null) {
      table.manageSnapshots().setCurrentSnapshot(Long.parseLong(currentSnapshot)).commit();
    }
    if (cherryPicked != null) {
      table.manageSnapshots().cherrypick(Long.parseLong(cherryPicked)).commit();
    }
    Transaction transaction = table.newTransaction();
    if (location != null) {
      transaction.updateLocation().setLocation(location).commit();
    }
    if (!properties.isEmpty()) {
      Spark3Util.applyPropertyChanges(transaction.updateProperties(), properties).commit();
    }
    if (!columns.isEmpty()) {
      Spark3Util.applySchemaChanges(transaction.updateSchema(), columns).commit();
    }
    if (TablePosition.valid(table).isPresent()) {
      TableStart.check(transaction.table());
    }
    transaction.commitTransaction();
  }

  private void checkFolders(Table table, IcewalConfig config) {
    Map<String, String> after = new HashMap<>(table.properties());
    for (TableChange change : properties) {
      if (change instanceof TableChange.SetProperty set) {
        after.put(set.property(), set.value());
      }
    }
    String place = location == null ? table.location() : location;
    new TableFolders(table.io(), config).check(table, place, after);
  }
}
