package io.icewal.trino.write;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.spi.connector.ConnectorMergeTableHandle;

/// An UPDATE, DELETE or MERGE of a keyed table that goes into the log.
///
/// @param read the table as it is read
/// @param table where to
public record MergeHandle(
    @JsonProperty("read") IcebergTableHandle read, @JsonProperty("table") LogTable table)
    implements ConnectorMergeTableHandle {
  @Override
  public IcebergTableHandle getTableHandle() {
    return read;
  }
}
