package io.icewal.table;

import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.storage.CountingFileIO;
import io.icewal.storage.LocalFileIO;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.jspecify.annotations.Nullable;

/// A SQLite catalog and local files in one folder, and what tests do to its tables in the manner of
/// a foreign engine: through Iceberg's own generic readers and writers only.
public final class TestWarehouse implements AutoCloseable {
  /// The log that tests pretend to have.
  public static final LogName LOG = new LogName(new UUID(1, 2), 1, 0);

  private final CountingFileIO files = new CountingFileIO(new LocalFileIO());
  private final JdbcCatalog catalog = new JdbcCatalog(properties -> files, null, true);
  private final IcewalTables tables;
  private final Path folder;

  public TestWarehouse(Path folder) {
    this.folder = folder;
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> properties = new HashMap<>();
    properties.put(CatalogProperties.URI, "jdbc:sqlite:" + folder.resolve("catalog.db"));
    properties.put(CatalogProperties.WAREHOUSE_LOCATION, "file://" + folder.resolve("warehouse"));
    properties.put("jdbc.schema-version", "V1");
    properties.put("jdbc.journal_mode", "WAL");
    properties.put("jdbc.synchronous", "OFF");
    catalog.initialize("icewal", properties);
    tables = new IcewalTables(catalog);
  }

  public JdbcCatalog catalog() {
    return catalog;
  }

  /// The files of all tables.
  public CountingFileIO files() {
    return files;
  }

  public IcewalTables tables() {
    return tables;
  }

  /// Creates `ns.t` with its position at the beginning of the log.
  public Table create(Schema schema, PartitionSpec spec) {
    return tables.create(name(), schema, spec, Map.of(), id -> LOG.at(0)).table();
  }

  public static TableIdentifier name() {
    return TableIdentifier.of("ns", "t");
  }

  /// Adopts `ns.t` with its own key at the given position.
  public AdoptionReport adopt(Position logEnd) {
    return adopt(AdoptionRequest.of(name()), logEnd);
  }

  public AdoptionReport adopt(AdoptionRequest request, Position logEnd) {
    try (RootAllocator allocator = new RootAllocator()) {
      return new Adoption(tables, allocator, folder.resolve("spill")).adopt(request, id -> logEnd);
    }
  }

  /// The table as it is now.
  public Table load() {
    return catalog.loadTable(name());
  }

  /// Any table as it is now.
  public Table load(TableIdentifier name) {
    return catalog.loadTable(name);
  }

  /// All rows as plain Iceberg reads them, as text, sorted.
  public List<String> rows() {
    Table table = load();
    return rows(IcebergGenerics.read(table).build(), table.schema().columns().size());
  }

  /// All rows of the given columns.
  public List<String> rows(Schema projection) {
    return rows(
        IcebergGenerics.read(load()).project(projection).build(), projection.columns().size());
  }

  /// The reader leaves helper columns, such as the row position, at the end of its records.
  private static List<String> rows(CloseableIterable<Record> records, int columns) {
    List<String> out = new ArrayList<>();
    try (records) {
      for (Record record : records) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
          values.add(String.valueOf(record.get(i)));
        }
        out.add(String.join(",", values));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Collections.sort(out);
    return out;
  }

  /// Writes a data file as a foreign engine would.
  public static DataFile write(Table table, List<List<Object>> rows) {
    return write(table, rows, null);
  }

  /// Writes a data file of one partition of the table's current spec.
  public static DataFile write(
      Table table, List<List<Object>> rows, @Nullable PartitionData partition) {
    return write(table, table.schema(), rows, partition);
  }

  /// Writes a data file with the columns of another schema.
  public static DataFile write(Table table, Schema schema, List<List<Object>> rows) {
    return write(table, schema, rows, null);
  }

  private static DataFile write(
      Table table, Schema schema, List<List<Object>> rows, @Nullable PartitionData partition) {
    OutputFileFactory outputs =
        OutputFileFactory.builderFor(table, 0, 0).format(FileFormat.PARQUET).build();
    DataWriter<Record> writer =
        new GenericFileWriterFactory.Builder(table)
            .dataFileFormat(FileFormat.PARQUET)
            .dataSchema(schema)
            .build()
            .newDataWriter(outputs.newOutputFile(), table.spec(), partition);
    try (writer) {
      for (List<Object> row : rows) {
        GenericRecord record = GenericRecord.create(schema);
        for (int i = 0; i < row.size(); i++) {
          record.set(i, row.get(i));
        }
        writer.write(record);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.toDataFile();
  }

  /// A foreign append, without any position.
  public void append(List<List<Object>> rows) {
    Table table = load();
    AppendFiles append = table.newAppend();
    append.appendFile(write(table, rows));
    append.commit();
  }

  @Override
  public void close() {
    try {
      catalog.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  public static Position at(long number) {
    return LOG.at(number);
  }
}
