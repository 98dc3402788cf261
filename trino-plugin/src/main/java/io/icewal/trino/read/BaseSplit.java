package io.icewal.trino.read;

import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trino.plugin.iceberg.IcebergSplit;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import java.util.Optional;

/// A part of a data file of the snapshot, some of whose rows the tail may hide.
///
/// @param file the part, as trino-iceberg planned it
/// @param keys the tail's keys that the file may hold, in the bytes of [io.icewal.read.KeySlice]
public record BaseSplit(@JsonProperty("file") IcebergSplit file, @JsonProperty("keys") byte[] keys)
    implements ConnectorSplit {
  static final byte[] NO_KEYS = {};

  private static final int INSTANCE_SIZE = instanceSize(BaseSplit.class);

  @Override
  public Optional<String> getAffinityKey() {
    return file.getAffinityKey();
  }

  @Override
  public SplitWeight getSplitWeight() {
    return file.getSplitWeight();
  }

  @Override
  public long getRetainedSizeInBytes() {
    return INSTANCE_SIZE + file.getRetainedSizeInBytes() + sizeOf(keys);
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }

  @Override
  public String toString() {
    return file + " less " + keys.length + " bytes of keys";
  }
}
