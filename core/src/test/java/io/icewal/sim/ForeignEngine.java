package io.icewal.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.encryption.EncryptionKeyMetadata;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Another engine on the same tables, with Iceberg's own writers: it appends rows (of keys that may
/// exist), deletes rows by deletion vector or whole files, and rewrites data files, each with the
/// validation that a serializable engine uses.
final class ForeignEngine {
  private final RandomGenerator random;
  private final SimCatalog catalog;
  private final boolean evolves;
  private int operations;

  /// @param evolves whether it changes schemas too
  ForeignEngine(RandomGenerator random, SimCatalog catalog, boolean evolves) {
    this.random = random;
    this.catalog = catalog;
    this.evolves = evolves;
  }

  /// One operation on one table; what it did is announced to the oracle before it can land.
  ///
  /// @param firstToken tokens for rows of its own count up from here
  void step(TableTruth truth, long firstToken) {
    Table table = catalog.loadTable(truth.name());
    String op = "op-" + operations++;
    switch (random.nextInt(evolves ? 7 : 5)) {
      case 0 -> append(truth, table, op, firstToken);
      case 1 -> rewrite(truth, table, op);
      case 2 -> deleteFile(truth, table, op);
      case 5, 6 -> SchemaChange.draw(random, truth.shape, table.schema()).apply(table);
      default -> delete(truth, table, op);
    }
  }

  private void append(TableTruth truth, Table table, String op, long firstToken) {
    append(truth, table, table.newFastAppend(), op, firstToken);
  }

  /// Puts another table of the same form in the place of this one, with a few rows or none.
  void replace(TableTruth truth, long firstToken) {
    Table table = catalog.loadTable(truth.name());
    Transaction replace =
        catalog
            .buildTable(truth.name(), table.schema())
            .withPartitionSpec(table.spec())
            .replaceTransaction();
    if (random.nextBoolean()) {
      String op = "op-" + operations++;
      append(truth, replace.table(), replace.newFastAppend(), op, firstToken);
    }
    replace.commitTransaction();
  }

  private void append(
      TableTruth truth, Table table, AppendFiles append, String op, long firstToken) {
    List<TableTruth.Effect> effects = new ArrayList<>();
    Map<String, List<Record>> byPartition = new HashMap<>();
    Map<String, PartitionKey> partitions = new HashMap<>();
    InternalRecordWrapper wrapper = new InternalRecordWrapper(table.schema().asStruct());
    for (int i = 0; i <= random.nextInt(3); i++) {
      int key = truth.shape.keyed ? random.nextInt(truth.shape.keys) : -1;
      truth.write(table.schema(), TableTruth.metadata(table).lastColumnId(), key, firstToken + i);
      Record row = row(truth, table.schema(), key, firstToken + i);
      PartitionKey partition = new PartitionKey(table.spec(), table.schema());
      partition.partition(wrapper.wrap(row));
      partitions.put(partition.toPath(), partition);
      byPartition.computeIfAbsent(partition.toPath(), p -> new ArrayList<>()).add(row);
      effects.add(new TableTruth.Effect(key, firstToken + i, true));
    }
    byPartition.forEach(
        (path, rows) ->
            append.appendFile(write(table, table.schema(), partitions.get(path), rows)));
    truth.announce(op, effects);
    append.set(TableTruth.FOREIGN, op).commit();
  }

  private static Record row(TableTruth truth, Schema schema, int key, long token) {
    Map<Integer, @Nullable Object> values =
        WrittenRows.values(truth.shape, schema.asStruct(), key, token);
    Record row = GenericRecord.create(schema);
    for (NestedField column : schema.columns()) {
      row.setField(column.name(), generic(column.type(), values.get(column.fieldId())));
    }
    return row;
  }

  private static @Nullable Object generic(Type type, @Nullable Object plain) {
    if (plain == null) {
      return null;
    }
    return switch (type.typeId()) {
      case DATE -> LocalDate.ofEpochDay((Integer) plain);
      case TIMESTAMP ->
          OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC)
              .plus((Long) plain, ChronoUnit.MICROS);
      case UUID -> UUID.fromString((String) plain);
      case DECIMAL -> (BigDecimal) plain;
      case LIST -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (Object element : (List<?>) plain) {
          list.add(generic(type.asListType().elementType(), element));
        }
        yield list;
      }
      case STRUCT -> {
        Types.StructType struct = type.asStructType();
        Record record = GenericRecord.create(struct);
        for (NestedField field : struct.fields()) {
          record.setField(
              field.name(), generic(field.type(), ((Map<?, ?>) plain).get(field.name())));
        }
        yield record;
      }
      default -> plain;
    };
  }

  private DataFile write(
      Table table, Schema schema, @Nullable StructLike partition, List<Record> rows) {
    OutputFile file =
        table
            .io()
            .newOutputFile(
                table.location() + "/data/foreign-" + Long.toHexString(random.nextLong()));
    DataWriter<Record> writer =
        new GenericFileWriterFactory.Builder(table)
            .dataFileFormat(FileFormat.PARQUET)
            .dataSchema(schema)
            .build()
            .newDataWriter(
                EncryptedFiles.encryptedOutput(file, EncryptionKeyMetadata.EMPTY),
                table.spec(),
                partition);
    try (writer) {
      rows.forEach(writer::write);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.toDataFile();
  }

  private void delete(TableTruth truth, Table table, String op) {
    List<FileScanTask> tasks = tasks(table);
    Snapshot base = table.currentSnapshot();
    if (base == null || tasks.isEmpty()) {
      return;
    }
    FileScanTask task = tasks.get(random.nextInt(tasks.size()));
    List<Record> rows = live(table, base, task);
    if (rows.isEmpty()) {
      return;
    }
    List<TableTruth.Effect> effects = new ArrayList<>();
    DeleteWriteResult deletes = deletes(table, task, rows, effects);
    RowDelta delta = table.newRowDelta();
    deletes.deleteFiles().forEach(delta::addDeletes);
    task.deletes().forEach(delta::removeDeletes);
    truth.announce(op, effects);
    delta
        .validateFromSnapshot(base.snapshotId())
        .validateDataFilesExist(deletes.referencedDataFiles())
        .validateDeletedFiles()
        .set(TableTruth.FOREIGN, op)
        .commit();
  }

  @SuppressWarnings("NullAway") // no earlier deletes are null in Iceberg's own interface
  private DeleteWriteResult deletes(
      Table table, FileScanTask task, List<Record> rows, List<TableTruth.Effect> effects) {
    BaseDeleteLoader loader =
        new BaseDeleteLoader(file -> table.io().newInputFile(file.location()));
    OutputFileFactory files =
        OutputFileFactory.builderFor(table, 0, random.nextInt(1 << 30))
            .operationId("foreign-" + Long.toHexString(random.nextLong()))
            .format(FileFormat.PUFFIN)
            .build();
    BaseDVFileWriter writer =
        new BaseDVFileWriter(
            files,
            path ->
                task.deletes().isEmpty() ? null : loader.loadPositionDeletes(task.deletes(), path));
    try (writer) {
      for (Record row : rows) {
        if (effects.isEmpty() || random.nextInt(3) == 0) {
          long position = (Long) row.getField(MetadataColumns.ROW_POSITION.name());
          writer.delete(task.file().location(), position, task.spec(), task.file().partition());
          effects.add(new TableTruth.Effect(-1, (Long) row.getField(TableShape.TOKEN), false));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.result();
  }

  /// Removes a whole file, as an engine does whose condition covers all of its rows.
  private void deleteFile(TableTruth truth, Table table, String op) {
    List<FileScanTask> tasks = tasks(table);
    if (tasks.isEmpty()) {
      return;
    }
    FileScanTask task = tasks.get(random.nextInt(tasks.size()));
    List<TableTruth.Effect> effects = new ArrayList<>();
    for (Record row : live(table, table.currentSnapshot(), task)) {
      effects.add(new TableTruth.Effect(-1, (Long) row.getField(TableShape.TOKEN), false));
    }
    truth.announce(op, effects);
    table
        .newDelete()
        .deleteFile(task.file())
        .validateFilesExist()
        .set(TableTruth.FOREIGN, op)
        .commit();
  }

  /// Copies the live rows of some files of one partition into one new file, lineage kept.
  private void rewrite(TableTruth truth, Table table, String op) {
    List<FileScanTask> tasks = tasks(table);
    Snapshot base = table.currentSnapshot();
    if (base == null || tasks.isEmpty()) {
      return;
    }
    FileScanTask first = tasks.get(random.nextInt(tasks.size()));
    RewriteFiles rewrite = table.newRewrite();
    List<Record> rows = new ArrayList<>();
    Schema lineage = MetadataColumns.schemaWithRowLineage(table.schema());
    for (FileScanTask task : tasks) {
      if (task == first
          || (task.file().partition().equals(first.file().partition()) && random.nextBoolean())) {
        for (Record row : live(table, base, task)) {
          Record copy = GenericRecord.create(lineage);
          lineage.columns().forEach(c -> copy.setField(c.name(), row.getField(c.name())));
          rows.add(copy);
        }
        rewrite.deleteFile(task.file());
        for (DeleteFile delete : task.deletes()) {
          rewrite.deleteFile(delete);
        }
      }
    }
    if (!rows.isEmpty()) {
      rewrite.addFile(write(table, lineage, first.file().partition(), rows));
    }
    truth.announce(op, List.of());
    rewrite
        .validateFromSnapshot(base.snapshotId())
        .dataSequenceNumber(base.sequenceNumber())
        .set(TableTruth.FOREIGN, op)
        .commit();
  }

  private static List<FileScanTask> tasks(Table table) {
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      List<FileScanTask> list = new ArrayList<>();
      tasks.forEach(list::add);
      list.sort(java.util.Comparator.comparing(task -> task.file().location()));
      return list;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The live rows of one file, with their place and lineage.
  private static List<Record> live(Table table, Snapshot snapshot, FileScanTask task) {
    List<NestedField> columns =
        new ArrayList<>(MetadataColumns.schemaWithRowLineage(table.schema()).columns());
    columns.add(MetadataColumns.ROW_POSITION);
    columns.add(MetadataColumns.FILE_PATH);
    List<Record> rows = new ArrayList<>();
    try (CloseableIterable<Record> all =
        IcebergGenerics.read(table)
            .useSnapshot(snapshot.snapshotId())
            .project(new Schema(columns))
            .build()) {
      for (Record row : all) {
        if (task.file().location().equals(row.getField(MetadataColumns.FILE_PATH.name()))) {
          rows.add(row.copy());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }
}
