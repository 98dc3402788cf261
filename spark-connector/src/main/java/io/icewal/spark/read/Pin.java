package io.icewal.spark.read;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.read.FreshCut;
import io.icewal.spark.services.Warehouse;
import io.icewal.table.TablePosition;
import io.icewal.tail.TableAt;
import io.icewal.tail.Tail;
import io.icewal.tail.TailOf;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableOperations;
import org.jspecify.annotations.Nullable;

/// One table as its scans see it: a version of its metadata and the tail that belongs to it.
/// Thread-safe. The tail's keys are read when the first scan is planned.
final class Pin {
  private final Warehouse warehouse;
  private final BaseTable table;
  private final Tail tail;
  private @Nullable FreshCut cut;

  private Pin(Warehouse warehouse, BaseTable table, Tail tail) {
    this.warehouse = warehouse;
    this.table = table;
    this.tail = tail;
  }

  /// Makes a cut now: the newest boundary, the table's newest version, its tail, the boundary
  /// again.
  ///
  /// @param operations are refreshed
  /// @throws IcewalException CONFLICT if the table is no longer icewal's; UNAVAILABLE; CORRUPT
  static Pin make(UUID tableId, String name, TableOperations operations, Warehouse warehouse) {
    TailOf<Table> read =
        warehouse.tails().read(tableId, () -> load(name, operations), /* atLeast= */ null);
    if (read.tail() == null || !read.table().tableId().equals(tableId)) {
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "table " + name + " was replaced while the query was being planned: run it again");
    }
    return new Pin(warehouse, (BaseTable) read.table().table(), read.tail());
  }

  /// A cut that was made before.
  ///
  /// @param table in a version that has the cut's columns
  static Pin of(Warehouse warehouse, BaseTable table, Tail tail) {
    return new Pin(warehouse, table, tail);
  }

  private static TableAt<Table> load(String name, TableOperations operations) {
    BaseTable frozen = now(name, operations);
    return TableAt.of(
        frozen, TablePosition.valid(frozen).map(TablePosition::position).orElse(null));
  }

  /// A table in its newest version, and stays there. Several threads may share the operations,
  /// which are not made for that.
  static BaseTable now(String name, TableOperations operations) {
    synchronized (operations) {
      operations.refresh();
      return frozen(name, operations);
    }
  }

  /// A table that stays at the version that its operations have now.
  static BaseTable frozen(String name, TableOperations operations) {
    return new BaseTable(
        new StaticTableOperations(
            operations.current(), operations.io(), operations.locationProvider()),
        name);
  }

  /// The table in the version that is read; never changes.
  BaseTable table() {
    return table;
  }

  Tail tail() {
    return tail;
  }

  Warehouse warehouse() {
    return warehouse;
  }

  /// Whether anything but the snapshot counts.
  boolean hasTail() {
    return tail.truncates() || tail.rows() > 0;
  }

  /// The rows to add and the keys to hide. Reads the keys of the tail at the first call.
  synchronized FreshCut cut() {
    FreshCut known = cut;
    if (known == null) {
      known = FreshCut.of(table.schema(), table.specs(), tail, warehouse.allocator());
      cut = known;
    }
    return known;
  }

  /// Whether both see the same rows.
  boolean isSameAs(Pin other) {
    return tail.tableId().equals(other.tail.tableId())
        && tail.from().equals(other.tail.from())
        && tail.end().equals(other.tail.end())
        && location(table).equals(location(other.table));
  }

  private static String location(BaseTable table) {
    return table.operations().current().metadataFileLocation();
  }
}
