package io.icewal.spark.read;

import io.icewal.model.Position;
import io.icewal.read.FreshCut;
import io.icewal.read.TailPiece;
import io.icewal.wal.BlockRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.spark.ScanTaskSetManager;
import org.apache.iceberg.spark.source.SparkRewriteTable;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// What a stream begins with: a cut of a table, in parts that are the same whenever they are
/// planned: the files of its snapshot, less the rows that its tail hides, then the rows that the
/// tail adds. Used by one thread.
final class StreamContents {
  private static final long PIECE_BYTES = 32L << 20;

  private final Pin pin;
  private final long snapshot;
  private final List<FileScanTask> files;

  private StreamContents(Pin pin, long snapshot, List<FileScanTask> files) {
    this.pin = pin;
    this.snapshot = snapshot;
    this.files = files;
  }

  /// @param pin the cut; its table may be a later version
  /// @param snapshot the cut's
  static StreamContents of(Pin pin, long snapshot) {
    FreshCut cut = pin.cut();
    return new StreamContents(pin, snapshot, cut.hidesAll() ? List.of() : plan(pin, snapshot, cut));
  }

  private static List<FileScanTask> plan(Pin pin, long snapshot, FreshCut cut) {
    TableScan scan = pin.table().newScan().useSnapshot(snapshot);
    if (cut.hidesSome()) {
      // The snapshot's own schema, which may have other names.
      Schema schema = scan.schema();
      scan =
          scan.includeColumnStats(
              cut.key().fieldIds().stream().map(schema::findColumnName).toList());
    }
    List<FileScanTask> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> planned = scan.planFiles()) {
      planned.forEach(files::add);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the plan of " + pin.table().name(), e);
    }
    files.sort(Comparator.comparing(file -> file.file().location()));
    return files;
  }

  boolean isOf(long otherSnapshot, Position from, Position end) {
    return snapshot == otherSnapshot && from().equals(from) && end().equals(end);
  }

  long snapshot() {
    return snapshot;
  }

  /// Where its tail is read from again: right before its first block. The table's own position may
  /// be far below the boundary by then, where nothing is left of the segments that other tables
  /// had.
  Position from() {
    List<BlockRef> blocks = pin.tail().blocks();
    return blocks.isEmpty() ? end() : end().log().at(blocks.get(0).number() - 1);
  }

  Position end() {
    return pin.tail().end();
  }

  /// The table's version in which the cut is read.
  BaseTable table() {
    return pin.table();
  }

  /// How many parts it has.
  int parts() {
    return files.size() + 1;
  }

  /// How many rows a part may have.
  long rows(int part) {
    return part < files.size() ? files.get(part).file().recordCount() : pin.cut().liveRows();
  }

  /// Some parts, as partitions.
  ///
  /// @param to exclusive
  List<InputPartition> partitions(int from, int to) {
    List<InputPartition> partitions = new ArrayList<>();
    int filesTo = Math.min(to, files.size());
    if (from < filesTo) {
      addFiles(files.subList(from, filesTo), partitions);
    }
    if (to > files.size()) {
      for (TailPiece piece : pin.cut().pieces(PIECE_BYTES)) {
        partitions.add(new StreamPartition.Upserts(new TailPartition(piece.toBytes())));
      }
    }
    return partitions;
  }

  /// iceberg-spark reads them, as it reads those that it rewrites.
  private void addFiles(List<FileScanTask> some, List<InputPartition> partitions) {
    VirtualDeletes deletes = new VirtualDeletes(pin);
    List<ScanTask> tasks = pin.cut().hidesSome() ? deletes.hide(some) : List.copyOf(some);
    BaseTable table = new HidingFiles(pin.table(), deletes);
    String id = UUID.randomUUID().toString();
    ScanTaskSetManager.get().stageTasks(table, id, tasks);
    try {
      Batch batch =
          new SparkRewriteTable(table, id)
              .newScanBuilder(
                  new DefaultedColumns(table.schema()).readable(CaseInsensitiveStringMap.empty()))
              .build()
              .toBatch();
      PartitionReaderFactory readers = batch.createReaderFactory();
      for (InputPartition partition : batch.planInputPartitions()) {
        partitions.add(new StreamPartition.Files(partition, readers));
      }
    } finally {
      ScanTaskSetManager.get().removeTasks(table, id);
    }
  }

  /// A table whose file access has the virtual deletes, too.
  private static final class HidingFiles extends BaseTable {
    private final transient VirtualDeletes deletes;

    private HidingFiles(BaseTable table, VirtualDeletes deletes) {
      super(table.operations(), table.name(), table.reporter());
      this.deletes = deletes;
    }

    @Override
    public FileIO io() {
      return deletes.over(super.io());
    }
  }
}
