package io.icewal.spark.read;

import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.jspecify.annotations.Nullable;

/// Rows of the tail one by one. Used by one thread.
final class TailRows implements PartitionReader<InternalRow> {
  private final TailBatches batches;
  private Iterator<InternalRow> rows = Collections.emptyIterator();
  private @Nullable InternalRow row;

  /// @param batches closed with this
  TailRows(TailBatches batches) {
    this.batches = batches;
  }

  @Override
  public boolean next() {
    while (!rows.hasNext()) {
      if (!batches.next()) {
        row = null;
        return false;
      }
      rows = batches.get().rowIterator();
    }
    row = rows.next();
    return true;
  }

  @Override
  public InternalRow get() {
    if (row == null) {
      throw new IllegalStateException("no row");
    }
    return row;
  }

  @Override
  public void close() {
    batches.close();
  }
}
