package io.icewal.trino.write;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.statement.StatementTable;
import io.icewal.table.TablePosition;
import io.icewal.trino.read.Pin;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.spi.connector.SchemaTableName;
import java.util.Objects;
import java.util.UUID;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.TableMetadata;

/// A table that a statement writes into, as the statement has seen it. Travels to workers.
///
/// @param name its name
/// @param tableId its Iceberg UUID
/// @param schemaJson its schema
/// @param specJson its partition spec
/// @param lastColumnId the highest field id that it had given out
/// @param readTo everything in its log up to this position was seen
public record LogTable(
    @JsonProperty("name") SchemaTableName name,
    @JsonProperty("tableId") UUID tableId,
    @JsonProperty("schemaJson") String schemaJson,
    @JsonProperty("specJson") String specJson,
    @JsonProperty("lastColumnId") int lastColumnId,
    @JsonProperty("readTo") String readTo) {

  /// @throws IcewalException CONFLICT if the schema was changed while the statement was planned
  public static LogTable of(Pin pin) {
    IcebergTableHandle handle = pin.handle();
    Schema schema = SchemaParser.fromJson(handle.getTableSchemaJson());
    TableMetadata metadata = ((HasTableOperations) pin.table()).operations().current();
    if (metadata.currentSchemaId() != schema.schemaId() || pin.isOlderThanTail()) {
      throw new IcewalException(
          ErrorKind.CONFLICT,
          "the schema of "
              + handle.getSchemaTableName()
              + " was changed while the statement was being planned: run it again");
    }
    String property =
        Objects.requireNonNull(handle.getStorageProperties().get(TablePosition.PROPERTY));
    Position position = TablePosition.parse(property).position();
    Position readTo = pin.tail() == null ? position : pin.tail().end();
    return new LogTable(
        handle.getSchemaTableName(),
        UUID.fromString(metadata.uuid()),
        handle.getTableSchemaJson(),
        PartitionSpecParser.toJson(metadata.spec()),
        metadata.lastColumnId(),
        readTo.toString());
  }

  /// A table that a statement is about to make.
  public static LogTable of(SchemaTableName name, StatementTable table) {
    return new LogTable(
        name,
        table.tableId(),
        table.schemaJson(),
        table.specJson(),
        table.lastColumnId(),
        table.readTo());
  }

  StatementTable inStatement() {
    return new StatementTable(name.toString(), tableId, schemaJson, specJson, lastColumnId, readTo);
  }
}
