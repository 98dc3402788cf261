package io.icewal.spark.procedures;

import io.icewal.config.IcewalConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.table.IcewalTables;
import io.icewal.table.TablePosition;
import io.icewal.table.TableSearch;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.ResolvingFileIO;
import org.apache.iceberg.util.DateTimeUtil;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/// What procedures of Iceberg's must not do to tables of icewal. Thread-safe.
///
/// A table without a key takes rows from anywhere. In one with a key each key is there once: rows
/// come through the log, or were looked at when the table was adopted.
final class TableGuards {
  /// Tables that are looked at before a table is registered.
  private static final int TABLES_MAX = 10_000;

  private final IcewalTables tables;
  private final IcewalConfig config;
  private final Function<String, TableIdentifier> names;

  /// @param names what a table's name in a call means
  TableGuards(IcewalTables tables, IcewalConfig config, Function<String, TableIdentifier> names) {
    this.tables = tables;
    this.config = config;
    this.names = names;
  }

  /// By the procedures' names.
  Map<String, Consumer<Arguments>> all() {
    return Map.of(
        "add_files",
        arguments -> requireKeyless(arguments, "it adds files"),
        "cherrypick_snapshot",
        arguments -> requireKeyless(arguments, "it adds a snapshot's files to main"),
        "publish_changes",
        arguments -> requireKeyless(arguments, "it adds a snapshot's files to main"),
        "fast_forward",
        this::fastForward,
        "rollback_to_snapshot",
        arguments -> requireOwn(arguments, arguments.numberOrNull("snapshot_id")),
        "rollback_to_timestamp",
        this::rollbackToTimestamp,
        "set_current_snapshot",
        this::setCurrentSnapshot,
        "register_table",
        this::register);
  }

  /// The table, if it is icewal's and has a key.
  private @Nullable Table keyed(Arguments arguments) {
    Table table = tables.load(names.apply(arguments.text("table")));
    boolean isKeyed =
        TablePosition.valid(table).isPresent() && !table.schema().identifierFieldIds().isEmpty();
    return isKeyed ? table : null;
  }

  private void requireKeyless(Arguments arguments, String what) {
    Table table = keyed(arguments);
    if (table != null) {
      throw refusal(
          table, what + " without a look at their keys; insert the rows with a query instead");
    }
  }

  private void fastForward(Arguments arguments) {
    if (SnapshotRef.MAIN_BRANCH.equals(arguments.text("branch"))) {
      requireKeyless(arguments, "it adds a branch's files to main");
    }
  }

  private void rollbackToTimestamp(Arguments arguments) {
    Long micros = arguments.numberOrNull("timestamp");
    Table table = micros == null ? null : keyed(arguments);
    if (micros != null && table != null) {
      long millis = DateTimeUtil.microsToMillis(micros);
      for (Snapshot snapshot : SnapshotUtil.currentAncestors(table)) {
        if (snapshot.timestampMillis() < millis) {
          requireOwn(table, snapshot.snapshotId());
          return;
        }
      }
    }
  }

  private void setCurrentSnapshot(Arguments arguments) {
    String ref = arguments.textOrNull("ref");
    Table table = ref == null ? null : keyed(arguments);
    Snapshot named = table == null ? null : table.snapshot(ref);
    if (named == null) {
      requireOwn(arguments, arguments.numberOrNull("snapshot_id"));
    } else {
      requireOwn(arguments, named.snapshotId());
    }
  }

  private void requireOwn(Arguments arguments, @Nullable Long snapshotId) {
    Table table = snapshotId == null ? null : keyed(arguments);
    if (table != null && snapshotId != null) {
      requireOwn(table, snapshotId);
    }
  }

  private static void requireOwn(Table table, long snapshotId) {
    String why = OwnHistory.whyForeign(table, snapshotId);
    if (why != null) {
      throw refusal(table, "main cannot become snapshot " + snapshotId + ": " + why);
    }
  }

  private static IcewalException refusal(Table table, String why) {
    return new IcewalException(
        ErrorKind.INVALID,
        "table "
            + table.name()
            + " has the primary key "
            + table.schema().identifierFieldNames()
            + ": "
            + why);
  }

  /// A table's rows in the log follow its UUID: there is one table of a UUID.
  private void register(Arguments arguments) {
    TableMetadata metadata = metadata(arguments.text("metadata_file"));
    config.requireApartFromLog(metadata.location());
    TableIdentifier name = names.apply(arguments.text("table"));
    TableSearch search = tables.find(UUID.fromString(metadata.uuid()), name, TABLES_MAX);
    if (search instanceof TableSearch.Found found) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "table "
              + found.name()
              + " has the UUID "
              + metadata.uuid()
              + " that "
              + name
              + " would have, too: both would take the same rows of the log. Drop or rename it"
              + " instead");
    }
    if (search instanceof TableSearch.Unsure) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "the catalog has more than "
              + TABLES_MAX
              + " tables, and it is not known whether one of them has the UUID "
              + metadata.uuid()
              + " that "
              + name
              + " would have: register it by the catalog itself");
    }
  }

  private TableMetadata metadata(String location) {
    Map<String, String> properties = config.catalogProperties();
    String implementation =
        properties.getOrDefault(CatalogProperties.FILE_IO_IMPL, ResolvingFileIO.class.getName());
    try (FileIO files = CatalogUtil.loadFileIO(implementation, properties, new Configuration())) {
      return TableMetadataParser.read(files, location);
    }
  }
}
