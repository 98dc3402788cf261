package io.icewal.spark.read;

import io.icewal.read.TailPiece;
import io.icewal.spark.services.Warehouse;
import io.icewal.spark.services.WarehouseSettings;
import io.icewal.wal.LogReader;
import java.io.Serializable;
import java.util.Set;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.spark.sql.types.StructType;

/// What a task needs to read rows of one table's tail. Travels to executors.
final class TailSource implements Serializable {
  private static final long serialVersionUID = 1L;

  private final WarehouseSettings settings;
  private final UUID tableId;
  private final String schemaJson;
  private final StructType readSchema;

  /// @param schema of the table
  /// @param readSchema the wanted columns, in their order
  TailSource(WarehouseSettings settings, UUID tableId, Schema schema, StructType readSchema) {
    this.settings = settings;
    this.tableId = tableId;
    this.schemaJson = SchemaParser.toJson(schema);
    this.readSchema = readSchema;
  }

  TailBatches open(TailPartition partition) {
    Warehouse warehouse = Warehouse.of(settings);
    Schema schema = SchemaParser.fromJson(schemaJson);
    Schema columns = columns(schema);
    TailPiece piece = TailPiece.fromBytes(partition.piece());
    LogReader reader = warehouse.reader(warehouse.root().logOf(tableId));
    // Last: nothing fails after it, before its owner is there.
    BufferAllocator allocator = warehouse.allocator().newChildAllocator("tail", 0, Long.MAX_VALUE);
    return new TailBatches(piece.open(reader, columns, allocator), schema, readSchema, allocator);
  }

  /// The top-level columns that are read, whole.
  private Schema columns(Schema schema) {
    Set<String> names = Set.of(readSchema.fieldNames());
    return new Schema(
        schema.columns().stream()
            .filter(column -> names.contains(column.name()))
            .filter(column -> !MetadataColumns.isMetadataColumn(column.name()))
            .toList());
  }
}
