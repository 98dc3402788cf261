package io.icewal.spark.write;

import io.icewal.model.BlockKind;
import io.icewal.spark.services.Warehouse;
import io.icewal.spark.services.WarehouseSettings;
import io.icewal.statement.StatementTable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;

/// Makes a task's writer. Travels to executors.
///
/// @param settings which warehouse
/// @param table where to
/// @param ordinals where each of the table's columns is in a row
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
record InsertWriterFactory(WarehouseSettings settings, StatementTable table, int[] ordinals)
    implements DataWriterFactory {
  /// Blocks have unique names, so that attempts do not meet.
  @Override
  public DataWriter<InternalRow> createWriter(int partition, long task) {
    return new InsertWriter(
        new RowStager(table, BlockKind.UPSERT, false, Warehouse.of(settings)), ordinals);
  }
}
