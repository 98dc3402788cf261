package io.icewal.spark.read;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.parquet.ReadContext;
import io.icewal.read.HiddenRows;
import io.icewal.read.KeySlice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.iceberg.BaseFileScanTask;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.ScanTask;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.mapping.NameMappingParser;
import org.jspecify.annotations.Nullable;

/// The rows that a tail hides in a snapshot's files, as deletion vectors that no file holds.
/// Thread-safe.
///
/// Iceberg's readers take one deletion vector of a data file at most, so a virtual one also holds
/// what the file's own vector, or position deletes, say. Its bytes lie in a map that travels with
/// the file access ([VirtualDeletesFileIO]).
final class VirtualDeletes {
  private static final String LOCATION = "icewal-tail:";

  private final Pin pin;
  private final Table table;
  private final @Nullable NameMapping names;
  private final Map<String, byte[]> vectors = new ConcurrentHashMap<>();

  VirtualDeletes(Pin pin) {
    this.pin = pin;
    this.table = pin.table();
    String text = table.properties().get(TableProperties.DEFAULT_NAME_MAPPING);
    this.names = text == null ? null : NameMappingParser.fromJson(text);
  }

  /// File access that has the vectors made so far, too.
  FileIO over(FileIO files) {
    return vectors.isEmpty() ? files : new VirtualDeletesFileIO(files, vectors);
  }

  /// Adds to each file what the tail hides of it.
  ///
  /// @param tasks whole files, with bounds of the key columns
  List<ScanTask> hide(List<FileScanTask> tasks) {
    List<Callable<ScanTask>> work = new ArrayList<>();
    tasks.forEach(task -> work.add(() -> hide(task)));
    List<ScanTask> hidden = new ArrayList<>();
    try {
      for (Future<ScanTask> done : pin.warehouse().executor().invokeAll(work)) {
        hidden.add(done.get());
      }
      return hidden;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IcewalException(
          ErrorKind.UNAVAILABLE, "planning of " + table.name() + " was interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException("planning of " + table.name() + " failed", e);
    }
  }

  private ScanTask hide(FileScanTask task) {
    KeySlice slice = pin.cut().slice(task.file());
    long[] rows = slice.isEmpty() ? new long[0] : rows(task, slice);
    if (rows.length == 0) {
      return task(task, task.deletes());
    }
    List<DeleteFile> deletes = new ArrayList<>();
    List<DeleteFile> merged = new ArrayList<>();
    for (DeleteFile delete : task.deletes()) {
      (delete.content() == FileContent.EQUALITY_DELETES ? deletes : merged).add(delete);
    }
    PositionDeleteIndex all = Deletes.toPositionIndex(CloseableIterable.empty());
    if (!merged.isEmpty()) {
      new BaseDeleteLoader(table.io()::newInputFile)
          .loadPositionDeletes(merged, task.file().location())
          .forEach(all::delete);
    }
    Arrays.stream(rows).forEach(all::delete);
    deletes.add(vector(task, all));
    return task(task, deletes);
  }

  private long[] rows(FileScanTask task, KeySlice slice) {
    DataFile file = task.file();
    return file.format() == FileFormat.PARQUET
        ? HiddenRows.find(
            table.io().newInputFile(file),
            file,
            pin.cut().key(),
            slice,
            ReadContext.of(file, task.spec(), names),
            pin.warehouse().keyPages())
        : HiddenRows.findByRecords(
            table.io().newInputFile(file),
            task,
            pin.cut().key(),
            slice,
            names,
            pin.warehouse().allocator());
  }

  private DeleteFile vector(FileScanTask task, PositionDeleteIndex rows) {
    DataFile file = task.file();
    ByteBuffer bytes = rows.serialize();
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    String location = LOCATION + file.location();
    vectors.put(location, copy);
    FileMetadata.Builder builder =
        FileMetadata.deleteFileBuilder(task.spec())
            .ofPositionDeletes()
            .withFormat(FileFormat.PUFFIN)
            .withPath(location)
            .withFileSizeInBytes(copy.length)
            .withReferencedDataFile(file.location())
            .withContentOffset(0)
            .withContentSizeInBytes(copy.length)
            .withRecordCount(rows.cardinality());
    return task.spec().isPartitioned()
        ? builder.withPartition(file.partition()).build()
        : builder.build();
  }

  /// The bounds that slices needed are left behind.
  private static ScanTask task(FileScanTask task, List<DeleteFile> deletes) {
    return new BaseFileScanTask(
        task.file().copyWithoutStats(),
        deletes.toArray(new DeleteFile[0]),
        SchemaParser.toJson(task.schema()),
        PartitionSpecParser.toJson(task.spec()),
        ResidualEvaluator.unpartitioned(task.residual()));
  }
}
