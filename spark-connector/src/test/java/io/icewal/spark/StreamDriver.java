package io.icewal.spark;

import io.icewal.spark.services.Warehouse;
import io.icewal.spark.services.WarehouseSettings;
import io.icewal.storage.FaultyObjectStore;
import io.icewal.storage.StoreOp;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;

/// A driver in a process of its own: it copies what there is of table `from` into table `to` by a
/// stream, an epoch for each part or segment.
final class StreamDriver {
  /// The exit code of a process that was killed.
  static final int KILLED = 137;

  private StreamDriver() {}

  /// @param arguments the warehouse's folder, the checkpoint, and before which of its writes of
  ///   marks and segments it is dead at once; 0 for none
  public static void main(String[] arguments) throws Exception {
    Warehouse.of(
        WarehouseSettings.of("icewal", Map.of("data", arguments[0])),
        store -> {
          FaultyObjectStore dying = new FaultyObjectStore(store, new SplittableRandom(1));
          AtomicInteger left = new AtomicInteger(Integer.parseInt(arguments[2]));
          List.of(StoreOp.PUT, StoreOp.PUT_IF_ABSENT).forEach(op -> dieBefore(left, op, dying));
          return dying;
        });
    SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.defaultCatalog", "icewal")
            .config("spark.sql.catalog.icewal", IcewalCatalog.class.getName())
            .config("spark.sql.catalog.icewal.data", arguments[0])
            .getOrCreate();
    spark
        .readStream()
        .format("icewal")
        .option("maxRowsPerTrigger", 1)
        .load("s.from")
        .writeStream()
        .option("checkpointLocation", arguments[1])
        .trigger(Trigger.AvailableNow())
        .toTable("icewal.s.to")
        .awaitTermination();
    spark.stop();
  }

  private static void dieBefore(AtomicInteger left, StoreOp op, FaultyObjectStore store) {
    store.before(
        op,
        key -> key.contains("/streams/") || key.contains("/segments/"),
        () -> {
          if (left.decrementAndGet() == 0) {
            Runtime.getRuntime().halt(KILLED);
          }
          dieBefore(left, op, store);
        });
  }
}
