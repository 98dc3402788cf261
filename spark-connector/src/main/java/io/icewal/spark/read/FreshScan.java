package io.icewal.spark.read;

import io.icewal.merge.KeyRange;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// A scan of files and tail. Filters that come at run time choose among the files only.
final class FreshScan implements StreamedScan {
  private final Pin pin;
  private final Scan files;
  private final Supplier<MicroBatchStream> stream;
  private final KeyRange wanted;

  /// @param files iceberg-spark's scan of the pinned snapshot
  /// @param wanted which rows of the tail are, by their keys
  /// @param stream the table as a stream
  FreshScan(Pin pin, Scan files, KeyRange wanted, Supplier<MicroBatchStream> stream) {
    this.pin = pin;
    this.files = files;
    this.wanted = wanted;
    this.stream = stream;
  }

  @Override
  public Scan files() {
    return files;
  }

  @Override
  public Supplier<MicroBatchStream> stream() {
    return stream;
  }

  @Override
  public StructType readSchema() {
    StructField[] fields = files.readSchema().fields().clone();
    for (int i = 0; i < fields.length; i++) {
      if (MetadataColumns.isMetadataColumn(fields[i].name())) {
        fields[i] =
            new StructField(fields[i].name(), fields[i].dataType(), true, fields[i].metadata());
      }
    }
    return new StructType(fields);
  }

  @Override
  public Batch toBatch() {
    return new FreshBatch(pin, files.toBatch(), files.readSchema(), wanted);
  }

  /// Without those of columns, which are of the files alone.
  @Override
  public Statistics estimateStatistics() {
    Statistics base = StreamedScan.super.estimateStatistics();
    long tailRows = pin.cut().liveRows();
    long tailBytes = SparkSchemaUtil.estimateSize(readSchema(), tailRows);
    return new Statistics() {
      @Override
      public OptionalLong sizeInBytes() {
        return plus(base.sizeInBytes(), tailBytes);
      }

      @Override
      public OptionalLong numRows() {
        return plus(base.numRows(), tailRows);
      }
    };
  }

  private static OptionalLong plus(OptionalLong known, long more) {
    if (known.isEmpty()) {
      return known;
    }
    long sum = known.getAsLong() + more;
    return OptionalLong.of(sum < 0 ? Long.MAX_VALUE : sum);
  }

  @Override
  public String description() {
    return files.description() + " with " + pin.cut().liveRows() + " rows of the log";
  }

  @Override
  public String toString() {
    return description();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FreshScan that
        && files.equals(that.files)
        && wanted.equals(that.wanted)
        && pin.isSameAs(that.pin);
  }

  @Override
  public int hashCode() {
    return Objects.hash(files, pin.tail().end());
  }
}
