package io.icewal.trino.read;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DateType.DATE;
import static io.trino.spi.type.IntegerType.INTEGER;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergTableHandle;
import io.trino.plugin.iceberg.IcebergTypes;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarcharType;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.types.Conversions;

/// Which keys a scan can want, by its predicates over columns of the key. The engine tests rows
/// again, so that a range that is too wide costs time only.
final class WantedKeys {
  private final Schema schema;
  private final KeyColumns key;
  private final Map<Integer, ByteBuffer> lowest = new HashMap<>();
  private final Map<Integer, ByteBuffer> highest = new HashMap<>();

  private WantedKeys(Schema schema) {
    this.schema = schema;
    this.key = KeyColumns.of(schema);
  }

  static KeyRange of(IcebergTableHandle table) {
    WantedKeys keys = new WantedKeys(SchemaParser.fromJson(table.getTableSchemaJson()));
    table
        .getUnenforcedPredicate()
        .intersect(table.getEnforcedPredicate())
        .getDomains()
        .ifPresent(domains -> domains.forEach(keys::add));
    return keys.key.between(keys.lowest, keys.highest);
  }

  private void add(IcebergColumnHandle column, Domain domain) {
    ValueSet values = domain.getValues();
    boolean usable =
        column.getPath().isEmpty()
            && key.fieldIds().contains(column.getId())
            && isKnown(column.getType())
            && !values.isNone()
            && !values.isAll();
    if (usable) {
      Range span = values.getRanges().getSpan();
      put(column, span.getLowValue(), lowest);
      put(column, span.getHighValue(), highest);
    }
  }

  /// Types of which trino-iceberg's values are Iceberg's without more ado.
  private static boolean isKnown(Type type) {
    return type.equals(BIGINT)
        || type.equals(INTEGER)
        || type.equals(DATE)
        || type instanceof VarcharType;
  }

  private void put(
      IcebergColumnHandle column, Optional<Object> value, Map<Integer, ByteBuffer> into) {
    value.ifPresent(
        some ->
            into.put(
                column.getId(),
                Conversions.toByteBuffer(
                    schema.findType(column.getId()),
                    IcebergTypes.convertTrinoValueToIceberg(column.getType(), some))));
  }
}
