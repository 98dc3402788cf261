package io.icewal.read;

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
public record ScanServices(
    Function<TableIdentifier, Table> tables, TailReader tails, @Nullable ExecutorService planner) {}
