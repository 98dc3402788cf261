package io.icewal.spark.read;

import io.icewal.merge.KeyColumns;
import io.icewal.read.FreshCut;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import org.apache.iceberg.BatchScan;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ScanTask;
import org.apache.iceberg.ScanTaskGroup;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.metrics.MetricsReporter;
import org.apache.iceberg.util.SnapshotUtil;
import org.apache.iceberg.util.TableScanUtil;

/// A scan of a pinned snapshot, each file with its virtual deletes. Immutable; all that are refined
/// from one share their deletes.
final class HidingScan implements BatchScan {
  private final BatchScan scan;
  private final Pin pin;
  private final VirtualDeletes deletes;

  HidingScan(BatchScan scan, Pin pin, VirtualDeletes deletes) {
    this.scan = scan;
    this.pin = pin;
    this.deletes = deletes;
  }

  private BatchScan with(BatchScan refined) {
    return new HidingScan(refined, pin, deletes);
  }

  @Override
  public CloseableIterable<ScanTask> planFiles() {
    FreshCut cut = pin.cut();
    if (cut.hidesAll()) {
      return CloseableIterable.empty();
    }
    if (!cut.hidesSome()) {
      return scan.planFiles();
    }
    List<FileScanTask> tasks = new ArrayList<>();
    try (CloseableIterable<ScanTask> planned = withBoundsOf(cut.key()).planFiles()) {
      planned.forEach(task -> tasks.add(task.asFileScanTask()));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the plan of " + pin.table().name(), e);
    }
    return CloseableIterable.withNoopClose(deletes.hide(tasks));
  }

  /// Iceberg takes names as they were in the snapshot's schema: columns may have other ones now.
  private BatchScan withBoundsOf(KeyColumns key) {
    Schema then = SnapshotUtil.schemaFor(pin.table(), scan.snapshot().snapshotId());
    List<String> names = new ArrayList<>();
    for (int id : key.fieldIds()) {
      String name = then.findColumnName(id);
      if (name != null) {
        names.add(name);
      }
    }
    return scan.includeColumnStats(names);
  }

  @Override
  public CloseableIterable<ScanTaskGroup<ScanTask>> planTasks() {
    return TableScanUtil.planTaskGroups(
        planFiles(), targetSplitSize(), splitLookback(), splitOpenFileCost());
  }

  /// Asked after the files were planned.
  @Override
  public Supplier<FileIO> fileIO() {
    Supplier<FileIO> files = scan.fileIO();
    return () -> deletes.over(files.get());
  }

  /// A limit of rows may stop planning early, when hidden rows would be missed: it is not passed
  /// on.
  @Override
  public BatchScan minRowsRequested(long rows) {
    return this;
  }

  @Override
  public Table table() {
    return scan.table();
  }

  @Override
  public BatchScan useSnapshot(long snapshotId) {
    return with(scan.useSnapshot(snapshotId));
  }

  @Override
  public BatchScan useRef(String ref) {
    return with(scan.useRef(ref));
  }

  @Override
  public BatchScan asOfTime(long timestampMillis) {
    return with(scan.asOfTime(timestampMillis));
  }

  @Override
  public Snapshot snapshot() {
    return scan.snapshot();
  }

  @Override
  public BatchScan option(String property, String value) {
    return with(scan.option(property, value));
  }

  @Override
  public BatchScan project(Schema schema) {
    return with(scan.project(schema));
  }

  @Override
  public BatchScan caseSensitive(boolean caseSensitive) {
    return with(scan.caseSensitive(caseSensitive));
  }

  @Override
  public boolean isCaseSensitive() {
    return scan.isCaseSensitive();
  }

  @Override
  public BatchScan includeColumnStats() {
    return with(scan.includeColumnStats());
  }

  @Override
  public BatchScan includeColumnStats(Collection<String> columns) {
    return with(scan.includeColumnStats(columns));
  }

  @Override
  public BatchScan select(Collection<String> columns) {
    return with(scan.select(columns));
  }

  @Override
  public BatchScan filter(Expression expression) {
    return with(scan.filter(expression));
  }

  @Override
  public Expression filter() {
    return scan.filter();
  }

  @Override
  public BatchScan ignoreResiduals() {
    return with(scan.ignoreResiduals());
  }

  @Override
  public BatchScan planWith(ExecutorService executor) {
    return with(scan.planWith(executor));
  }

  @Override
  public BatchScan metricsReporter(MetricsReporter reporter) {
    return with(scan.metricsReporter(reporter));
  }

  @Override
  public Schema schema() {
    return scan.schema();
  }

  @Override
  public long targetSplitSize() {
    return scan.targetSplitSize();
  }

  @Override
  public int splitLookback() {
    return scan.splitLookback();
  }

  @Override
  public long splitOpenFileCost() {
    return scan.splitOpenFileCost();
  }
}
