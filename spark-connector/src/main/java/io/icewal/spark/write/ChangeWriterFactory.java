package io.icewal.spark.write;

import io.icewal.merge.KeyColumns;
import io.icewal.model.BlockKind;
import io.icewal.spark.services.Warehouse;
import io.icewal.spark.services.WarehouseSettings;
import io.icewal.statement.StatementTable;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DeltaWriter;
import org.apache.spark.sql.connector.write.DeltaWriterFactory;
import org.apache.spark.sql.types.DataType;

/// Makes a task's writer. Travels to executors.
///
/// @param settings which warehouse
/// @param table where to
record ChangeWriterFactory(WarehouseSettings settings, StatementTable table)
    implements DeltaWriterFactory {
  @Override
  public DeltaWriter<InternalRow> createWriter(int partition, long task) {
    Warehouse warehouse = Warehouse.of(settings);
    Schema schema = table.schema();
    List<NestedField> key = KeyColumns.of(schema).keySchema().columns();
    return new ChangeWriter(
        new RowStager(table, BlockKind.DELETE, true, warehouse),
        new RowStager(table, BlockKind.UPSERT, true, warehouse),
        key.stream().mapToInt(column -> ordinal(schema, column)).toArray(),
        key.stream()
            .map(column -> SparkSchemaUtil.convert(column.type()))
            .toArray(DataType[]::new));
  }

  private static int ordinal(Schema schema, NestedField column) {
    List<Integer> ids = schema.columns().stream().map(NestedField::fieldId).toList();
    return ids.indexOf(column.fieldId());
  }
}
