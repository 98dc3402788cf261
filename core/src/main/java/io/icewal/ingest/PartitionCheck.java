package io.icewal.ingest;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.PartitionRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;

/// Refuses rows that the table's partition spec has no partition for: acknowledged, they would stop
/// their table when they are materialized. Looks at converted columns, one by one. Rows that delete
/// are not written anywhere, so every key may be deleted. Immutable.
final class PartitionCheck {
  private final List<Column> columns = new ArrayList<>();

  /// @param path field ids from the top-level column down to the source
  /// @param min the range's, as far as it is one of longs
  private record Column(PartitionRange range, int[] path, Site site, long min, long max) {
    boolean holds(FieldVector vector, int slot) {
      if (vector instanceof DecimalVector decimals) {
        return range.contains(unscaled(decimals, slot));
      }
      long value = number(vector, slot);
      return value >= min && value <= max;
    }
  }

  PartitionCheck(IngestTable table) {
    Map<Integer, Integer> parents = TypeUtil.indexParents(table.schema().asStruct());
    for (PartitionRange range : PartitionRange.of(table.spec(), table.schema())) {
      List<Integer> path = new ArrayList<>();
      for (Integer at = range.sourceId(); at != null; at = parents.get(at)) {
        path.add(0, at);
      }
      String name = Objects.requireNonNull(table.schema().findColumnName(range.sourceId()));
      Type type = table.schema().findType(range.sourceId());
      columns.add(
          new Column(
              range,
              path.stream().mapToInt(Integer::intValue).toArray(),
              new Site(name, type, Site.Presence.OPTIONAL, false),
              range.min().max(BigInteger.valueOf(Long.MIN_VALUE)).longValue(),
              range.max().min(BigInteger.valueOf(Long.MAX_VALUE)).longValue()));
    }
  }

  /// @param outputs converted columns; one that is not there is null in every row
  void check(List<FieldVector> outputs, Slots slots, Conversion run) {
    for (Column column : columns) {
      List<FieldVector> level = outputs;
      List<FieldVector> chain = new ArrayList<>();
      for (int id : column.path) {
        FieldVector vector = ArrowSchemas.find(level, id);
        if (vector == null) {
          break;
        }
        chain.add(vector);
        level = vector.getChildrenFromFields();
      }
      if (chain.size() == column.path.length) {
        check(column, chain, slots, run);
      }
    }
  }

  private static void check(Column column, List<FieldVector> chain, Slots slots, Conversion run) {
    FieldVector vector = chain.get(chain.size() - 1);
    BitSet deletes = run.deletes();
    for (int i = 0; i < slots.count(); i++) {
      if (isPresent(chain, i)
          && !column.holds(vector, i)
          && (deletes == null || !deletes.get(slots.row(i)))) {
        run.bad(
            column.site,
            slots,
            i,
            Rule.PARTITION,
            slot -> text(vector, slot),
            column.range.message());
      }
    }
  }

  private static boolean isPresent(List<FieldVector> chain, int slot) {
    for (FieldVector vector : chain) {
      if (vector.isNull(slot)) {
        return false;
      }
    }
    return true;
  }

  private static String text(FieldVector vector, int slot) {
    return vector instanceof DecimalVector decimals
        ? new BigDecimal(unscaled(decimals, slot), decimals.getScale()).toPlainString()
        : Long.toString(number(vector, slot));
  }

  private static long number(FieldVector vector, int slot) {
    long values = vector.getDataBuffer().memoryAddress();
    return vector instanceof IntVector
        ? MemoryUtil.getInt(values + (long) Integer.BYTES * slot)
        : MemoryUtil.getLong(values + (long) Long.BYTES * slot);
  }

  private static BigInteger unscaled(DecimalVector vector, int slot) {
    long at = vector.getDataBuffer().memoryAddress() + (long) DecimalVector.TYPE_WIDTH * slot;
    long low = MemoryUtil.getLong(at);
    BigInteger high = BigInteger.valueOf(MemoryUtil.getLong(at + Long.BYTES));
    return high.shiftLeft(Long.SIZE).or(new BigInteger(Long.toUnsignedString(low)));
  }
}
