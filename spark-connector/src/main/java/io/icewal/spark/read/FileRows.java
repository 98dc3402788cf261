package io.icewal.spark.read;

import io.icewal.merge.KeyColumns;
import io.icewal.parquet.ReadContext;
import io.icewal.read.HiddenRows;
import io.icewal.read.KeySlice;
import io.icewal.spark.services.Warehouse;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.mapping.NameMappingParser;
import org.jspecify.annotations.Nullable;

/// Looks keys of a tail up in data files of one table: on the driver, or on executors. Thread-safe.
final class FileRows {
  /// All deleted rows of a file, those that the tail hides included.
  ///
  /// @param bytes the content of a deletion vector
  /// @param count how many rows
  record Deleted(byte[] bytes, long count) implements Serializable {}

  private final Table table;
  private final KeyColumns key;
  private final @Nullable NameMapping names;
  private final Warehouse warehouse;

  FileRows(Table table, Warehouse warehouse) {
    this.table = table;
    this.key = KeyColumns.of(table.schema());
    this.warehouse = warehouse;
    String text = table.properties().get(TableProperties.DEFAULT_NAME_MAPPING);
    this.names = text == null ? null : NameMappingParser.fromJson(text);
  }

  /// The rows of a file that are deleted once those of the given keys are; null if the file has
  /// none of these keys.
  ///
  /// @param task the whole file
  @Nullable Deleted hide(FileScanTask task, KeySlice slice) {
    long[] rows = slice.isEmpty() ? new long[0] : find(task, slice);
    if (rows.length == 0) {
      return null;
    }
    List<DeleteFile> before =
        task.deletes().stream()
            .filter(delete -> delete.content() != FileContent.EQUALITY_DELETES)
            .toList();
    PositionDeleteIndex all = Deletes.toPositionIndex(CloseableIterable.empty());
    if (!before.isEmpty()) {
      new BaseDeleteLoader(table.io()::newInputFile)
          .loadPositionDeletes(before, task.file().location())
          .forEach(all::delete);
    }
    Arrays.stream(rows).forEach(all::delete);
    ByteBuffer bytes = all.serialize();
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return new Deleted(copy, all.cardinality());
  }

  private long[] find(FileScanTask task, KeySlice slice) {
    return warehouse
        .hiddenRows()
        .get(
            task.file().location(),
            key.keySchema().asStruct().toString(),
            slice.toBytes(),
            more -> look(task, more));
  }

  private long[] look(FileScanTask task, KeySlice slice) {
    DataFile file = task.file();
    return file.format() == FileFormat.PARQUET
        ? HiddenRows.find(
            table.io().newInputFile(file),
            file,
            key,
            slice,
            ReadContext.of(file, task.spec(), names),
            warehouse.keyPages())
        : HiddenRows.findByRecords(
            table.io().newInputFile(file), task, key, slice, names, warehouse.allocator());
  }
}
