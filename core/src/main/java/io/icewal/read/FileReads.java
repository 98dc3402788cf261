package io.icewal.read;

import io.icewal.merge.KeyColumns;
import io.icewal.parquet.KeyPageCache;
import io.icewal.parquet.ParquetColumnReader;
import io.icewal.parquet.ReadContext;
import io.icewal.parquet.RowGroups;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.GenericDeleteFilter;
import org.apache.iceberg.data.IdentityPartitionConverters;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.mapping.NameMappingParser;
import org.apache.iceberg.util.PartitionUtil;
import org.jspecify.annotations.Nullable;

/// Opens the data files of one scan. Immutable.
final class FileReads {
  private final Table table;
  private final Schema schema;
  private final KeyColumns key;
  private final KeyPageCache keyPages;
  private final EncryptingFileIO io;
  private final @Nullable NameMapping mapping;

  /// @param schema of the scan: all columns
  FileReads(Table table, Schema schema, KeyColumns key, KeyPageCache keyPages) {
    this.table = table;
    this.schema = schema;
    this.key = key;
    this.keyPages = keyPages;
    this.io = EncryptingFileIO.combine(table.io(), table.encryption());
    String text = table.properties().get(TableProperties.DEFAULT_NAME_MAPPING);
    this.mapping = text == null ? null : NameMappingParser.fromJson(text);
  }

  /// Whether only Iceberg's own readers can read the file.
  private static boolean needsRecords(FileScanTask task) {
    return task.file().format() != FileFormat.PARQUET
        || task.deletes().stream()
            .anyMatch(delete -> delete.content() == FileContent.EQUALITY_DELETES);
  }

  /// The rows of a file that count.
  RowSource open(FileTask task, ScanColumns columns, BufferAllocator allocator) {
    if (needsRecords(task.scan())) {
      return records(task, columns, allocator);
    }
    DeletedRows deleted = deleted(task);
    DataFile file = task.scan().file();
    return new ParquetRows(
        ParquetColumnReader.open(io.newInputFile(file), columns.read(), context(task), allocator),
        deleted);
  }

  private ReadContext context(FileTask task) {
    return ReadContext.of(task.scan().file(), task.scan().spec(), mapping);
  }

  /// How many rows of a file count.
  long count(FileTask task, BufferAllocator allocator) {
    if (!needsRecords(task.scan())) {
      long rows = task.scan().file().recordCount();
      return rows - deleted(task).count(new RowGroups.Rows(0, rows));
    }
    ScanColumns none = new ScanColumns(new Schema(), new Schema());
    RowFilter filter = new RowFilter(none, null);
    try (FreshRows rows =
        new FreshRows(
            List.<java.util.function.Supplier<RowSource>>of(() -> records(task, none, allocator))
                .iterator(),
            filter,
            Long.MAX_VALUE,
            allocator)) {
      long count = 0;
      while (rows.next()) {
        count += rows.root().getRowCount();
      }
      return count;
    }
  }

  /// The rows of a Parquet file that do not count.
  DeletedRows deleted(FileTask task) {
    List<DeleteFile> deletes = task.scan().deletes();
    return new DeletedRows(
        deletes.isEmpty()
            ? null
            : new BaseDeleteLoader(io::newInputFile)
                .loadPositionDeletes(deletes, task.scan().file().location()),
        hidden(task));
  }

  /// The rows of a Parquet file whose keys the tail has, ascending.
  long[] hidden(FileTask task) {
    DataFile file = task.scan().file();
    return HiddenRows.find(io.newInputFile(file), file, key, task.slice(), context(task), keyPages);
  }

  private RowSource records(FileTask task, ScanColumns columns, BufferAllocator allocator) {
    ScanColumns wanted =
        task.slice().isEmpty() ? columns : columns.reading(schema, new HashSet<>(key.fieldIds()));
    FileScanTask scan = task.scan();
    GenericDeleteFilter filter = new GenericDeleteFilter(io, scan, schema, wanted.read());
    Schema recordSchema = filter.requiredSchema();
    InputFile in = io.newInputFile(scan.file());
    Map<Integer, ?> constants =
        PartitionUtil.constantsMap(scan, IdentityPartitionConverters::convertConstant);
    CloseableIterable<Record> records =
        FormatModelRegistry.readBuilder(scan.file().format(), Record.class, in)
            .project(recordSchema)
            .idToConstant(constants)
            .withNameMapping(mapping)
            .split(scan.start(), scan.length())
            .build();
    return new RecordRows(
        filter.filter(records), recordSchema, wanted.read(), key, task.slice(), allocator);
  }

  Table table() {
    return table;
  }

  /// All columns of the scan's schema.
  Schema schema() {
    return schema;
  }
}
