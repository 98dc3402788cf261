package io.icewal.spark.write;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;

/// Makes the writer of a task of an epoch. Travels to executors.
///
/// @param writers the same as for statements: what is staged belongs to no epoch until it is
///   published
record EpochWriterFactory(InsertWriterFactory writers) implements StreamingDataWriterFactory {
  @Override
  public DataWriter<InternalRow> createWriter(int partition, long task, long epoch) {
    return writers.createWriter(partition, task);
  }
}
