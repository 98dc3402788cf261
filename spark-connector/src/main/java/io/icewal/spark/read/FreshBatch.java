package io.icewal.spark.read;

import io.icewal.merge.KeyRange;
import io.icewal.read.TailPiece;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// Partitions of the files, and those of the tail.
final class FreshBatch implements Batch {
  /// Rows of the tail that one partition reads, in bytes of Arrow: enough to be worth a task,
  /// little enough that several tasks share a long tail.
  private static final long PIECE_BYTES = 32L << 20;

  private final Pin pin;
  private final Batch files;
  private final StructType readSchema;

  private final KeyRange wanted;

  /// @param wanted which rows of the tail are, by their keys
  FreshBatch(Pin pin, Batch files, StructType readSchema, KeyRange wanted) {
    this.wanted = wanted;
    this.pin = pin;
    this.files = files;
    this.readSchema = readSchema;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    List<InputPartition> partitions = new ArrayList<>(Arrays.asList(files.planInputPartitions()));
    for (TailPiece piece : pin.cut().pieces(PIECE_BYTES, wanted)) {
      partitions.add(new TailPartition(piece.toBytes()));
    }
    return partitions.toArray(InputPartition[]::new);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new FreshReaderFactory(
        files.createReaderFactory(),
        new TailSource(
            pin.warehouse().settings(), pin.tail().tableId(), pin.table().schema(), readSchema));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FreshBatch that
        && files.equals(that.files)
        && wanted.equals(that.wanted)
        && pin.isSameAs(that.pin);
  }

  @Override
  public int hashCode() {
    return Objects.hash(files, pin.tail().end());
  }
}
