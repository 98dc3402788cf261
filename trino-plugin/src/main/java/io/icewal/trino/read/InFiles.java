package io.icewal.trino.read;

import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;

/// A version of a table that has the tail of its pin in its files.
///
/// @param transaction of trino-iceberg, in which this is the table's current version
/// @param handle the version
public record InFiles(ConnectorTransactionHandle transaction, IcebergTableHandle handle) {
  /// The handle to read with in place of a planned one. One that was planned without a tail reads
  /// the snapshot that it names.
  ///
  /// @throws io.trino.spi.TrinoException TRANSACTION_CONFLICT if the table was altered in between
  public IcebergTableHandle inPlaceOf(IcebergTableHandle planned) {
    return planned.getStorageProperties().containsKey(Pins.MARK)
        ? Handles.in(handle, planned)
        : planned;
  }
}
