package io.icewal.trino.read;

import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trino.spi.connector.ConnectorSplit;

/// Rows that the tail adds.
///
/// @param piece which, in the bytes of [io.icewal.read.TailPiece]
/// @param rows how many
public record TailSplit(@JsonProperty("piece") byte[] piece, @JsonProperty("rows") long rows)
    implements ConnectorSplit {
  private static final int INSTANCE_SIZE = instanceSize(TailSplit.class);

  @Override
  public long getRetainedSizeInBytes() {
    return INSTANCE_SIZE + sizeOf(piece);
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
    return "tail of " + rows + " rows";
  }
}
