package io.icewal.trino.ddl;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.engine.Materialization;
import io.icewal.model.Position;
import io.icewal.table.IcewalTables;
import io.icewal.table.TableStart;
import io.icewal.trino.services.Warehouse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/// Rows of a table that is about to take the place of another one, brought into files before
/// anybody sees them.
///
/// Both have one UUID, so that rows in the log would be the old one's until it is replaced, and
/// could come only after that: a reader in between would see no rows at all. So they go into the
/// log under a UUID of their own, which no catalog knows, are materialized by a copy of the new
/// table's metadata that is kept in memory, and the files of that become the new table's. All rows
/// of a statement are one segment, which is materialized as a whole: no row of them is in two
/// files.
///
/// Used by one thread.
final class DetachedTable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TableIdentifier name;
  private final Transaction target;
  private final Operations operations;
  private final Warehouse warehouse;
  private final Position begin;
  private final Set<Long> snapshotsBefore;

  /// @param target makes the new table; has its schema, its partitions, its properties
  DetachedTable(TableIdentifier name, Transaction target, Warehouse warehouse) {
    this.name = name;
    this.target = target;
    this.warehouse = warehouse;
    TableOperations like = ((HasTableOperations) target.table()).operations();
    this.operations = new Operations(like, withUuid(like.current(), UUID.randomUUID()));
    this.snapshotsBefore =
        operations.current().snapshots().stream()
            .map(Snapshot::snapshotId)
            .collect(Collectors.toSet());
    this.begin = warehouse.logEnd(table().uuid());
    Transaction start = table().newTransaction();
    TableStart.begin(start, begin);
    start.commitTransaction();
  }

  private static TableMetadata withUuid(TableMetadata metadata, UUID uuid) {
    try {
      ObjectNode json = (ObjectNode) JSON.readTree(TableMetadataParser.toJson(metadata));
      return TableMetadataParser.fromJson(json.put("table-uuid", uuid.toString()).toString());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Iceberg wrote metadata that is no JSON", e);
    }
  }

  /// What rows are written with.
  Table table() {
    return new BaseTable(operations, name.toString());
  }

  /// Nothing of it is in the log before this.
  Position begin() {
    return begin;
  }

  /// Takes its rows out of the log, and adds their files to the new table.
  void moveRows() {
    new Materialization(warehouse).run(new IcewalTables(new OneTable()), name, table().uuid());
    AppendFiles append = target.newFastAppend();
    Table files = table();
    try (CloseableIterable<FileScanTask> tasks = files.newScan().includeColumnStats().planFiles()) {
      for (FileScanTask task : tasks) {
        if (!task.deletes().isEmpty()) {
          throw new IllegalStateException(
              "rows of one statement hide each other in " + task.file().location());
        }
        append.appendFile(copy(task.file(), task.spec()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the manifests of " + name, e);
    }
    append.commit();
    removeManifests(files);
  }

  /// The file without what it is in its table, such as its row ids.
  private static DataFile copy(DataFile file, PartitionSpec spec) {
    DataFiles.Builder builder =
        DataFiles.builder(spec)
            .withPath(file.location())
            .withFormat(file.format())
            .withFileSizeInBytes(file.fileSizeInBytes())
            .withSplitOffsets(file.splitOffsets())
            .withMetrics(
                new Metrics(
                    file.recordCount(),
                    file.columnSizes(),
                    file.valueCounts(),
                    file.nullValueCounts(),
                    file.nanValueCounts(),
                    file.lowerBounds(),
                    file.upperBounds()));
    return (spec.isPartitioned() ? builder.withPartition(file.partition()) : builder).build();
  }

  /// The files are in manifests of the new table now.
  private void removeManifests(Table files) {
    Set<String> manifests = new HashSet<>();
    for (Snapshot snapshot : files.snapshots()) {
      if (!snapshotsBefore.contains(snapshot.snapshotId())) {
        snapshot.allManifests(files.io()).forEach(manifest -> manifests.add(manifest.path()));
        manifests.add(snapshot.manifestListLocation());
      }
    }
    manifests.forEach(files.io()::deleteFile);
  }

  /// Metadata in memory; files where the new table has its own.
  private static final class Operations implements TableOperations {
    private final TableOperations files;
    private TableMetadata current;

    Operations(TableOperations files, TableMetadata current) {
      this.files = files;
      this.current = current;
    }

    @Override
    public synchronized TableMetadata current() {
      return current;
    }

    @Override
    public TableMetadata refresh() {
      return current();
    }

    @Override
    public synchronized void commit(TableMetadata base, TableMetadata metadata) {
      if (base != current) {
        throw new CommitFailedException("the metadata was changed meanwhile");
      }
      current = metadata;
    }

    @Override
    public FileIO io() {
      return files.io();
    }

    @Override
    public EncryptionManager encryption() {
      return files.encryption();
    }

    @Override
    public String metadataFileLocation(String fileName) {
      return files.metadataFileLocation(fileName);
    }

    @Override
    public LocationProvider locationProvider() {
      return files.locationProvider();
    }
  }

  /// A catalog that has this table alone.
  private final class OneTable implements Catalog {
    @Override
    public List<TableIdentifier> listTables(Namespace namespace) {
      return name.namespace().equals(namespace) ? List.of(name) : List.of();
    }

    @Override
    public Table loadTable(TableIdentifier wanted) {
      if (!wanted.equals(name)) {
        throw new NoSuchTableException("there is no table %s", wanted);
      }
      return table();
    }

    @Override
    public boolean dropTable(TableIdentifier wanted, boolean purge) {
      throw new UnsupportedOperationException("drop " + wanted);
    }

    @Override
    public void renameTable(TableIdentifier from, TableIdentifier to) {
      throw new UnsupportedOperationException("rename " + from);
    }
  }
}
