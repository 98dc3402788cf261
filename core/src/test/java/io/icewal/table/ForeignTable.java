package io.icewal.table;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFileFactory;
import org.jspecify.annotations.Nullable;

/// A table of another engine, in any format version: made, filled and changed through Iceberg's own
/// generic writers only, without any thought of icewal.
public final class ForeignTable {
  private final Catalog catalog;
  private final TableIdentifier name;

  private ForeignTable(Catalog catalog, TableIdentifier name) {
    this.catalog = catalog;
    this.name = name;
  }

  public static ForeignTable create(
      Catalog catalog,
      TableIdentifier name,
      int formatVersion,
      Schema schema,
      PartitionSpec spec,
      Map<String, String> properties) {
    SupportsNamespaces namespaces = (SupportsNamespaces) catalog;
    if (!namespaces.namespaceExists(name.namespace())) {
      namespaces.createNamespace(name.namespace());
    }
    catalog
        .buildTable(name, schema)
        .withPartitionSpec(spec)
        .withProperties(properties)
        .withProperty(TableProperties.FORMAT_VERSION, Integer.toString(formatVersion))
        .create();
    return new ForeignTable(catalog, name);
  }

  /// `ns.t` without partitions.
  static ForeignTable create(TestWarehouse warehouse, int formatVersion, Schema schema) {
    return create(
        warehouse.catalog(),
        TestWarehouse.name(),
        formatVersion,
        schema,
        PartitionSpec.unpartitioned(),
        Map.of());
  }

  /// The table as it is now.
  public Table load() {
    return catalog.loadTable(name);
  }

  /// Appends a file of the given rows.
  public DataFile append(List<? extends List<?>> rows) {
    return append(FileFormat.PARQUET, null, rows);
  }

  /// Appends a file of the given rows to one partition of the current spec.
  public DataFile append(
      FileFormat format, @Nullable StructLike partition, List<? extends List<?>> rows) {
    DataFile file = write(format, partition, rows);
    load().newAppend().appendFile(file).commit();
    return file;
  }

  /// Writes a file and commits nothing.
  public DataFile write(
      FileFormat format, @Nullable StructLike partition, List<? extends List<?>> rows) {
    Table table = load();
    DataWriter<Record> writer =
        new GenericFileWriterFactory.Builder(table)
            .dataFileFormat(format)
            .build()
            .newDataWriter(outputs(table, format).newOutputFile(), table.spec(), partition);
    try (writer) {
      rows.forEach(row -> writer.write(record(table.schema(), row)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.toDataFile();
  }

  private static Record record(Schema schema, List<?> values) {
    GenericRecord record = GenericRecord.create(schema);
    for (int i = 0; i < values.size(); i++) {
      record.set(i, values.get(i));
    }
    return record;
  }

  private static OutputFileFactory outputs(Table table, FileFormat format) {
    return OutputFileFactory.builderFor(table, 0, 0).format(format).build();
  }

  /// Deletes rows of a file as the format version has it: a deletion vector, or a file of position
  /// deletes.
  public void delete(DataFile file, long... rows) {
    if (TablePosition.metadata(load()).formatVersion() < 3) {
      deleteByPosition(List.of(file), rows);
    } else {
      deleteByVector(file, rows);
    }
  }

  /// One file of position deletes for the same rows of several files of one partition.
  public void deleteByPosition(Collection<DataFile> files, long... rows) {
    Table table = load();
    DataFile first = files.iterator().next();
    PartitionSpec spec = table.specs().get(first.specId());
    PositionDeleteWriter<Record> writer =
        new GenericFileWriterFactory.Builder(table)
            .deleteFileFormat(FileFormat.PARQUET)
            .build()
            .newPositionDeleteWriter(
                outputs(table, FileFormat.PARQUET).newOutputFile(), spec, first.partition());
    try (writer) {
      PositionDelete<Record> delete = PositionDelete.create();
      files.stream()
          .map(DataFile::location)
          .sorted()
          .forEach(
              location -> {
                for (long row : rows) {
                  writer.write(delete.set(location, row, null));
                }
              });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    table.newRowDelta().addDeletes(writer.toDeleteFile()).commit();
  }

  private void deleteByVector(DataFile file, long... rows) {
    Table table = load();
    BaseDVFileWriter writer =
        new BaseDVFileWriter(
            outputs(table, FileFormat.PUFFIN), location -> PositionDeleteIndex.empty());
    for (long row : rows) {
      writer.delete(file.location(), row, table.specs().get(file.specId()), file.partition());
    }
    try {
      writer.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    org.apache.iceberg.RowDelta delta = table.newRowDelta();
    writer.result().deleteFiles().forEach(delta::addDeletes);
    delta.commit();
  }

  /// Deletes the rows with a value of one column, as Flink does.
  public DeleteFile deleteByEquality(String column, Object value) {
    Table table = load();
    Schema schema = table.schema().select(column);
    EqualityDeleteWriter<Record> writer =
        new GenericFileWriterFactory.Builder(table)
            .deleteFileFormat(FileFormat.PARQUET)
            .equalityFieldIds(new int[] {schema.findField(column).fieldId()})
            .equalityDeleteRowSchema(schema)
            .build()
            .newEqualityDeleteWriter(
                outputs(table, FileFormat.PARQUET).newOutputFile(), table.spec(), null);
    try (writer) {
      writer.write(record(schema, List.of(value)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    table.newRowDelta().addDeletes(writer.toDeleteFile()).commit();
    return writer.toDeleteFile();
  }

  /// The live data files.
  public List<DataFile> files() {
    try (CloseableIterable<FileScanTask> tasks = load().newScan().planFiles()) {
      java.util.List<DataFile> files = new java.util.ArrayList<>();
      tasks.forEach(task -> files.add(task.file()));
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
