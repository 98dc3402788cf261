package io.icewal.read;

import io.icewal.parquet.KeyPageCache;
import io.icewal.tail.TailReader;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// What scans need from their process. One for a process; thread-safe if its parts are.
///
/// @param tables loads a table now, without a cache
/// @param tails reads tails
/// @param planner reads manifests in parallel; null: Iceberg's own pool
/// @param keyPages keys of data files that were read lately
public record ScanServices(
    Function<TableIdentifier, Table> tables,
    TailReader tails,
    @Nullable ExecutorService planner,
    KeyPageCache keyPages) {

  /// With a key page cache of its own.
  public ScanServices(
      Function<TableIdentifier, Table> tables,
      TailReader tails,
      @Nullable ExecutorService planner) {
    this(tables, tails, planner, new KeyPageCache());
  }
}
