package io.icewal.spark.read;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.read.KeySlice;
import java.util.ArrayList;
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
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.io.FileIO;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/// The rows that a tail hides in a snapshot's files, as deletion vectors that no file holds.
/// Thread-safe.
///
/// Iceberg's readers take one deletion vector of a data file at most, so a virtual one also holds
/// what the file's own vector, or position deletes, say. Its bytes lie in a map that travels with
/// the file access ([VirtualDeletesFileIO]).
final class VirtualDeletes {
  private static final String LOCATION = "icewal-tail:";

  /// Keys that are looked up in files by the driver itself. A key counts once for each file that it
  /// may be in.
  static final String DRIVER_LOOKUPS_MAX = "spark.sql.icewal.driver-lookups-max";

  private static final long DRIVER_LOOKUPS_MAX_DEFAULT = 2_000_000;

  private final Pin pin;
  private final Table table;
  private final Map<String, byte[]> vectors = new ConcurrentHashMap<>();

  VirtualDeletes(Pin pin) {
    this.pin = pin;
    this.table = pin.table();
  }

  /// File access that has the vectors made so far, too.
  FileIO over(FileIO files) {
    return vectors.isEmpty() ? files : new VirtualDeletesFileIO(files, vectors);
  }

  /// Adds to each file what the tail hides of it.
  ///
  /// @param tasks whole files, with bounds of the key columns
  List<ScanTask> hide(List<FileScanTask> tasks) {
    List<KeySlice> slices = tasks.stream().map(task -> pin.cut().slice(task.file())).toList();
    List<FileRows.@Nullable Deleted> deleted = find(tasks, slices);
    List<ScanTask> hidden = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      hidden.add(hide(tasks.get(i), deleted.get(i)));
    }
    return hidden;
  }

  private List<FileRows.@Nullable Deleted> find(List<FileScanTask> tasks, List<KeySlice> slices) {
    SparkSession spark = SparkSession.active();
    long lookups = slices.stream().mapToLong(KeySlice::size).sum();
    String max = spark.conf().get(DRIVER_LOOKUPS_MAX, Long.toString(DRIVER_LOOKUPS_MAX_DEFAULT));
    return lookups > lookupsMax(max)
        ? new LookupJob(spark, table, pin.warehouse().settings()).run(tasks, slices)
        : findHere(tasks, slices);
  }

  private static long lookupsMax(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IcewalException(
          ErrorKind.INVALID, DRIVER_LOOKUPS_MAX + " must be a number, got '" + text + "'", e);
    }
  }

  private List<FileRows.@Nullable Deleted> findHere(
      List<FileScanTask> tasks, List<KeySlice> slices) {
    FileRows rows = new FileRows(table, pin.warehouse());
    List<Callable<FileRows.@Nullable Deleted>> work = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      FileScanTask task = tasks.get(i);
      KeySlice slice = slices.get(i);
      work.add(() -> rows.hide(task, slice));
    }
    List<FileRows.@Nullable Deleted> found = new ArrayList<>();
    try {
      for (Future<FileRows.@Nullable Deleted> done : pin.warehouse().executor().invokeAll(work)) {
        found.add(done.get());
      }
      return found;
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

  private ScanTask hide(FileScanTask task, FileRows.@Nullable Deleted deleted) {
    if (deleted == null) {
      return task(task, task.deletes());
    }
    List<DeleteFile> deletes = new ArrayList<>();
    for (DeleteFile delete : task.deletes()) {
      if (delete.content() == FileContent.EQUALITY_DELETES) {
        deletes.add(delete);
      }
    }
    deletes.add(vector(task, deleted));
    return task(task, deletes);
  }

  private DeleteFile vector(FileScanTask task, FileRows.Deleted rows) {
    DataFile file = task.file();
    String location = LOCATION + file.location();
    vectors.put(location, rows.bytes());
    FileMetadata.Builder builder =
        FileMetadata.deleteFileBuilder(task.spec())
            .ofPositionDeletes()
            .withFormat(FileFormat.PUFFIN)
            .withPath(location)
            .withFileSizeInBytes(rows.bytes().length)
            .withReferencedDataFile(file.location())
            .withContentOffset(0)
            .withContentSizeInBytes(rows.bytes().length)
            .withRecordCount(rows.count());
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
