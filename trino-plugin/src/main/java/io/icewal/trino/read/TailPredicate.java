package io.icewal.trino.read;

import static io.trino.spi.type.TypeUtils.readNativeValue;

import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.spi.block.Block;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.vector.VectorSchemaRoot;

/// What the engine no longer checks because the connector has promised to: predicates over
/// partition columns, `$path` and their like. Files are chosen by them, rows of the tail are tested
/// one by one.
final class TailPredicate {
  private final boolean none;
  private final Map<IcebergColumnHandle, Domain> domains;

  TailPredicate(TupleDomain<IcebergColumnHandle> enforced) {
    this.none = enforced.isNone();
    this.domains = enforced.getDomains().orElse(Map.of());
  }

  Set<IcebergColumnHandle> columns() {
    return domains.keySet();
  }

  /// The rows that fulfil it, ascending.
  int[] test(VectorSchemaRoot rows) {
    int[] chosen = new int[none ? 0 : rows.getRowCount()];
    Arrays.setAll(chosen, i -> i);
    for (Map.Entry<IcebergColumnHandle, Domain> entry : domains.entrySet()) {
      Block block = TailColumnReader.read(rows, entry.getKey());
      Domain domain = entry.getValue();
      chosen =
          Arrays.stream(chosen)
              .filter(
                  i ->
                      domain.includesNullableValue(
                          readNativeValue(entry.getKey().getType(), block, i)))
              .toArray();
    }
    return chosen;
  }
}
