package io.icewal.spark.read;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/// Opens partitions. Spark wants all of a scan as columns or all as rows: iceberg-spark decides.
final class FreshReaderFactory implements PartitionReaderFactory {
  private static final long serialVersionUID = 1L;

  private final PartitionReaderFactory files;
  private final TailSource tail;

  FreshReaderFactory(PartitionReaderFactory files, TailSource tail) {
    this.files = files;
    this.tail = tail;
  }

  /// iceberg-spark does not look at the partition: its answer is for the whole scan.
  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return files.supportColumnarReads(partition);
  }

  @Override
  public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
    return partition instanceof TailPartition own
        ? tail.open(own)
        : files.createColumnarReader(partition);
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    return partition instanceof TailPartition own
        ? new TailRows(tail.open(own))
        : files.createReader(partition);
  }
}
