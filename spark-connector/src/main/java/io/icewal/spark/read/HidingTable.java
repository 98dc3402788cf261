package io.icewal.spark.read;

import org.apache.iceberg.BaseTable;
import org.apache.iceberg.BatchScan;

/// A pinned table whose batch scans hide what the tail hides. Other scans, which maintenance makes,
/// see the snapshot as it is.
///
/// It is a [BaseTable] because iceberg-spark takes nothing else for a main table.
final class HidingTable extends BaseTable {
  private final transient Pin pin;
  private final transient VirtualDeletes deletes;

  HidingTable(Pin pin) {
    super(pin.table().operations(), pin.table().name(), pin.table().reporter());
    this.pin = pin;
    this.deletes = new VirtualDeletes(pin);
  }

  @Override
  public BatchScan newBatchScan() {
    return new HidingScan(super.newBatchScan(), pin, deletes);
  }

  /// Else executors would plan with scans of their own, which hide nothing.
  @Override
  public boolean allowDistributedPlanning() {
    return false;
  }
}
