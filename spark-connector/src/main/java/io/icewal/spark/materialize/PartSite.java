package io.icewal.spark.materialize;

import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.PartServices;
import io.icewal.materialize.RemoteWork;
import io.icewal.spark.services.Warehouse;
import io.icewal.spark.services.WarehouseSettings;
import io.icewal.wal.LogReader;
import java.io.Serializable;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.Table;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;

/// What executors need for any task of one cycle.
///
/// @param planned the table as it was when the cycle was planned
/// @param partBytes decompressed bytes of rows that one task works on at once
record PartSite(WarehouseSettings settings, Broadcast<Table> planned, long partBytes)
    implements Serializable {

  /// Does a task. What it holds is freed at its end, however it ends.
  <R> R with(Function<RemoteWork, R> task) {
    Warehouse warehouse = Warehouse.of(settings);
    Table table = planned.value();
    LogReader log = warehouse.reader(warehouse.root().logOf(table.uuid()));
    MaterializeConfig standard = MaterializeConfig.defaults();
    MaterializeConfig config =
        new MaterializeConfig(partBytes, standard.attemptsMax(), standard.spillFolder());
    try (BufferAllocator allocator =
        warehouse.allocator().newChildAllocator("materialize", 0, Long.MAX_VALUE)) {
      return task.apply(
          new RemoteWork(
              table,
              log,
              new PartServices(config, allocator, warehouse.manifests(), warehouse.keyPages())));
    }
  }

  /// A name for the files of this attempt of a task, which no other attempt has.
  static String fileName(String task) {
    return task + "-" + TaskContext.get().taskAttemptId();
  }
}
