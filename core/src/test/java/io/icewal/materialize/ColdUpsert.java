package io.icewal.materialize;

import io.icewal.storage.LocalObjectStore;
import io.icewal.table.TestWarehouse;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/// Materializes what waits in a folder's log, in a process that has seen nothing before, and prints
/// what that took: `status …`, then a line for each kind of request and of bytes.
final class ColdUpsert {
  private ColdUpsert() {}

  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    try (Warehouse warehouse = open(folder)) {
      UUID table = warehouse.load().uuid();
      warehouse.tables().files().reset();

      MaterializeResult result = warehouse.newProcess().step(TestWarehouse.name(), table);

      Map<String, Object> lines = new TreeMap<>(warehouse.tables().files().counts());
      warehouse.tables().files().bytesRead().forEach((k, bytes) -> lines.put("bytes " + k, bytes));
      lines.put("bytes log", warehouse.store.bytesRead());
      lines.put("rows", result.rows());
      lines.put("status", result.status());
      lines.forEach((key, value) -> System.out.println(key + "=" + value));
    }
  }

  static Warehouse open(Path folder) {
    return new Warehouse(folder, LocalObjectStore.open(folder.resolve("log")));
  }
}
