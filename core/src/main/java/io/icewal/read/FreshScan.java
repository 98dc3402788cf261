package io.icewal.read;

import io.icewal.model.Position;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;

/// One cut through a table, planned. On the heap; immutable; may be executed any number of times,
/// until what it refers to is trimmed or expired.
public final class FreshScan {
  /// Plans a scan.
  ///
  /// @param allocator for the keys of the tail, while planning
  /// @throws IcewalException INVALID for an unknown column or a condition that is not understood;
  ///   UNAVAILABLE; CORRUPT
  public static FreshScan plan(
      ScanRequest request, ScanServices services, BufferAllocator allocator) {
    throw new UnsupportedOperationException();
  }

  /// The table as it was loaded for this cut.
  public Table table() {
    throw new UnsupportedOperationException();
  }

  /// The columns of the result.
  public Schema projection() {
    throw new UnsupportedOperationException();
  }

  /// The snapshot that is read; -1 if the table has none.
  public long snapshotId() {
    throw new UnsupportedOperationException();
  }

  /// Where the snapshot's part ends and the tail begins; empty if the table has no position.
  public Optional<Position> position() {
    throw new UnsupportedOperationException();
  }

  /// Up to where the log was read; the position if the tail was not read.
  public Optional<Position> end() {
    throw new UnsupportedOperationException();
  }

  /// The snapshot's files, each with the tail's keys that it may hold.
  public List<FileTask> files() {
    throw new UnsupportedOperationException();
  }

  /// The rows, batch by batch.
  public FreshRows execute(BufferAllocator allocator) {
    throw new UnsupportedOperationException();
  }

  /// The exact number of rows of the result.
  public long count(BufferAllocator allocator) {
    throw new UnsupportedOperationException();
  }

  /// Numbers for people about the whole table; plan without columns and condition.
  public ScanStatus status(BufferAllocator allocator) {
    throw new UnsupportedOperationException();
  }
}
