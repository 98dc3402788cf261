package io.icewal.trino.read;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;

import io.icewal.model.Position;
import io.icewal.table.TablePosition;
import io.icewal.tail.Tail;
import io.icewal.wal.BlockRef;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.InMemoryRecordSet;
import io.trino.spi.connector.RecordCursor;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.DateTimeEncoding;
import io.trino.spi.type.TimeZoneKey;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The table `"t$tail"`: one row that tells of what the log holds for a table.
public final class TailTable implements SystemTable {
  private static final String SUFFIX = "$tail";

  private static final List<ColumnMetadata> COLUMNS =
      List.of(
          new ColumnMetadata("position", VARCHAR),
          new ColumnMetadata("log_end", VARCHAR),
          new ColumnMetadata("segments", BIGINT),
          new ColumnMetadata("blocks", BIGINT),
          new ColumnMetadata("parked_blocks", BIGINT),
          new ColumnMetadata("rows", BIGINT),
          new ColumnMetadata("bytes", BIGINT),
          new ColumnMetadata("oldest", TIMESTAMP_TZ_MILLIS));

  private final SchemaTableName name;
  private final Pin pin;

  public TailTable(SchemaTableName name, Pin pin) {
    this.name = name;
    this.pin = pin;
  }

  /// The table that the name asks for the tail of; empty if it does not.
  public static Optional<SchemaTableName> baseOf(SchemaTableName name) {
    String table = name.getTableName();
    return table.endsWith(SUFFIX) && table.length() > SUFFIX.length()
        ? Optional.of(
            new SchemaTableName(
                name.getSchemaName(), table.substring(0, table.length() - SUFFIX.length())))
        : Optional.empty();
  }

  @Override
  public Distribution getDistribution() {
    return Distribution.SINGLE_COORDINATOR;
  }

  @Override
  public ConnectorTableMetadata getTableMetadata() {
    return new ConnectorTableMetadata(name, COLUMNS);
  }

  @Override
  public RecordCursor cursor(
      ConnectorTransactionHandle transaction,
      ConnectorSession session,
      TupleDomain<Integer> constraint) {
    return InMemoryRecordSet.builder(getTableMetadata()).addRow(row()).build().cursor();
  }

  private @Nullable Object[] row() {
    String property =
        Objects.requireNonNull(pin.handle().getStorageProperties().get(TablePosition.PROPERTY));
    Position position = TablePosition.parse(property).position();
    Tail tail = pin.tail();
    List<BlockRef> blocks = tail == null ? List.of() : tail.blocks();
    return new @Nullable Object[] {
      position.toString(),
      tail == null ? position.toString() : tail.end().toString(),
      blocks.stream().mapToLong(BlockRef::number).distinct().count(),
      (long) blocks.size(),
      tail == null ? 0L : (long) tail.parkedBlocks(),
      tail == null ? 0L : tail.rows(),
      tail == null ? 0L : tail.bytes(),
      tail == null
          ? null
          : tail.oldest()
              .map(
                  oldest ->
                      DateTimeEncoding.packDateTimeWithZone(
                          oldest.toEpochMilli(), TimeZoneKey.UTC_KEY))
              .orElse(null)
    };
  }
}
