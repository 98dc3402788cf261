package io.icewal.statement;

import io.icewal.merge.KeyColumns;
import io.icewal.model.BlockKind;
import io.icewal.model.PartitionRanges;
import io.icewal.model.Position;
import io.icewal.wal.BlockHeader;
import java.io.Serializable;
import java.util.UUID;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;

/// A table that a statement writes into, as the statement has seen it. Travels to tasks.
///
/// @param name its name, as blocks carry it
/// @param tableId its Iceberg UUID
/// @param schemaJson its schema
/// @param specJson its partition spec
/// @param lastColumnId the highest field id that it had given out
/// @param readTo everything in its log up to this position was seen
public record StatementTable(
    String name, UUID tableId, String schemaJson, String specJson, int lastColumnId, String readTo)
    implements Serializable {

  /// @param table as the statement sees it
  /// @param readTo everything in its log up to this position was seen
  public static StatementTable of(String name, Table table, Position readTo) {
    TableMetadata metadata = ((HasTableOperations) table).operations().current();
    return new StatementTable(
        name,
        UUID.fromString(metadata.uuid()),
        SchemaParser.toJson(metadata.schema()),
        PartitionSpecParser.toJson(metadata.spec()),
        metadata.lastColumnId(),
        readTo.toString());
  }

  public Position readPosition() {
    return Position.parse(readTo);
  }

  public Schema schema() {
    return SchemaParser.fromJson(schemaJson);
  }

  /// Which rows have no partition.
  public PartitionRanges partitionRanges() {
    Schema schema = schema();
    return PartitionRanges.of(PartitionSpecParser.fromJson(schema, specJson), schema);
  }

  /// What blocks of whole rows, or of keys alone, have in common.
  public BlockHeader header(BlockKind kind) {
    Schema schema = schema();
    Schema columns = kind == BlockKind.UPSERT ? schema : KeyColumns.of(schema).keySchema();
    return new BlockHeader(tableId, name, schema.schemaId(), lastColumnId, columns, kind);
  }
}
