package io.icewal.flight;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.ingest.Ingestor;
import io.icewal.ingest.TableSchemas;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.protocol.Json;
import io.icewal.protocol.JsonMembers;
import io.icewal.protocol.TableDefinition;
import io.icewal.protocol.TableDescription;
import io.icewal.protocol.TableStatus;
import io.icewal.read.FreshScan;
import io.icewal.read.ScanRequest;
import io.icewal.read.ScanServices;
import io.icewal.read.ScanStatus;
import io.icewal.table.CreatedTable;
import io.icewal.table.IcewalTables;
import io.icewal.table.TablePosition;
import io.icewal.table.TableStart;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;

/// What the actions do. Each takes a JSON body and gives one. Thread-safe.
final class TableActions {
  /// Tables that one answer lists.
  private static final int TABLES_MAX = 100_000;

  /// Flushes that wait at a time; each holds a thread.
  private static final int FLUSHES_MAX = 256;

  private final IcewalTables tables;
  private final LogEnds logEnds;
  private final TableSchemas schemas;
  private final Ingestor ingestor;
  private final ScanServices scans;
  private final BufferAllocator allocator;
  private final TableFaults faults;
  private final InstantSource clock;
  private final Consumer<String> checkLocation;
  private final Semaphore flushes = new Semaphore(FLUSHES_MAX);

  /// @param schemas what ingestion remembers of tables
  /// @param checkLocation refuses a location among the log's files
  TableActions(
      IcewalTables tables,
      LogEnds logEnds,
      TableSchemas schemas,
      Ingestor ingestor,
      ScanServices scans,
      BufferAllocator allocator,
      TableFaults faults,
      InstantSource clock,
      Consumer<String> checkLocation) {
    this.tables = tables;
    this.logEnds = logEnds;
    this.schemas = schemas;
    this.ingestor = ingestor;
    this.scans = scans;
    this.allocator = allocator;
    this.faults = faults;
    this.clock = clock;
    this.checkLocation = checkLocation;
  }

  byte[] create(byte[] body) {
    TableDefinition wanted = TableDefinition.parse(body);
    TableStart.PATHS.stream()
        .map(wanted.properties()::get)
        .filter(Objects::nonNull)
        .forEach(checkLocation);
    CreatedTable created =
        tables.create(wanted.table(), wanted.schema(), wanted.spec(), wanted.properties(), logEnds);
    schemas.forget(wanted.table());
    return describe(wanted.table(), created.table(), created.warnings()).toJson();
  }

  byte[] describe(byte[] body) {
    TableIdentifier name = tableOf("describe_table", body);
    return describe(name, tables.load(name), List.of()).toJson();
  }

  private static TableDescription describe(
      TableIdentifier name, Table table, List<String> warnings) {
    return new TableDescription(
        name,
        table.uuid(),
        table.location(),
        table.schema(),
        table.spec(),
        TablePosition.valid(table).map(TablePosition::position).orElse(null),
        table.properties(),
        warnings);
  }

  byte[] list(byte[] body) {
    JsonMembers members = Json.read("list_tables", body);
    members.end();
    ObjectNode answer = Json.object();
    ArrayNode named = answer.putArray("tables");
    allTables().forEach(table -> named.add(Json.table(table)));
    return Json.write(answer);
  }

  private List<TableIdentifier> allTables() {
    List<TableIdentifier> found = new ArrayList<>();
    addTables(Namespace.empty(), found);
    found.sort(Comparator.comparing(TableIdentifier::toString));
    return found;
  }

  private void addTables(Namespace parent, List<TableIdentifier> found) {
    Catalog catalog = tables.catalog();
    List<Namespace> children =
        catalog instanceof SupportsNamespaces namespaces
            ? parent.isEmpty() ? namespaces.listNamespaces() : namespaces.listNamespaces(parent)
            : Collections.emptyList();
    for (Namespace child : children) {
      found.addAll(catalog.listTables(child));
      if (found.size() > TABLES_MAX) {
        throw new IcewalException(
            ErrorKind.INVALID, "catalog has more than " + TABLES_MAX + " tables; ask it itself");
      }
      addTables(child, found);
    }
  }

  byte[] drop(byte[] body) {
    JsonMembers members = Json.read("drop_table", body);
    TableIdentifier name = members.table();
    boolean purge = members.flag("purge", false);
    members.end();
    tables.load(name); // Says so if there is none.
    tables.catalog().dropTable(name, purge);
    schemas.forget(name);
    return Json.write(Json.object());
  }

  byte[] flush(byte[] body) {
    JsonMembers members = Json.read("flush_table", body);
    TableIdentifier name = members.table();
    Long timeoutMillis = members.count("timeout_ms");
    members.end();
    FlushWait wait =
        new FlushWait(
            tables,
            timeoutMillis == null ? FlushWait.TIMEOUT_DEFAULT : Duration.ofMillis(timeoutMillis));
    if (!flushes.tryAcquire()) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE, FLUSHES_MAX + " flushes wait already; retry later");
    }
    try {
      Position reached = wait.until(name, ingestor.flush(name));
      return Json.write(Json.object().put("position", reached.toString()));
    } finally {
      flushes.release();
    }
  }

  byte[] status(byte[] body) {
    JsonMembers members = Json.read("status", body);
    TableIdentifier one = members.tableOrNull();
    members.end();
    ObjectNode answer = Json.object();
    answer.put("pending_bytes", ingestor.pendingBytes());
    ArrayNode named = answer.putArray("tables");
    for (TableIdentifier table : one == null ? allTables() : List.of(one)) {
      named.add(status(table).toNode());
    }
    return Json.write(answer);
  }

  private TableStatus status(TableIdentifier name) {
    FreshScan scan = FreshScan.plan(ScanRequest.of(name), scans, allocator);
    ScanStatus status = scan.status(allocator);
    UUID uuid = scan.table().uuid();
    Optional<Instant> oldest = status.oldest();
    long ageMillis =
        oldest.map(instant -> Duration.between(instant, clock.instant()).toMillis()).orElse(0L);
    return new TableStatus(
        name,
        uuid,
        status.rows(),
        status.position().orElse(null),
        status.end().orElse(null),
        status.tailRows(),
        status.tailBytes(),
        Math.max(0, ageMillis),
        status.dataFiles(),
        status.deletionVectors(),
        status.parkedBlocks(),
        faults.lastError(uuid));
  }

  private static TableIdentifier tableOf(String what, byte[] body) {
    JsonMembers members = Json.read(what, body);
    TableIdentifier name = members.table();
    members.end();
    return name;
  }
}
