package io.icewal.model;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;

/// Finds rows that a partition spec has no partition for. Whoever lets rows into the log asks this
/// first: acknowledged, they would stop their table when they are materialized. Looks at columns in
/// the canonical Arrow form ([ArrowSchemas]), one by one. Immutable.
public final class PartitionRanges {
  private final List<Source> sources = new ArrayList<>();

  /// A column that partitions rows by a transform which does not take all of its values.
  ///
  /// @param name full name of the column
  /// @param path field ids from the top-level column down to it
  /// @param min the range's, as far as it is one of longs
  public record Source(
      PartitionRange range, String name, Type type, List<Integer> path, long min, long max) {
    private boolean holds(FieldVector vector, int row) {
      if (vector instanceof DecimalVector decimals) {
        return range.contains(unscaled(decimals, row));
      }
      long value = number(vector, row);
      return value >= min && value <= max;
    }
  }

  /// What is done with a row that has no partition.
  public interface Finding {
    /// @param vector of the source, whose value in that row is out of its range
    void found(Source source, FieldVector vector, int row);
  }

  private PartitionRanges() {}

  /// @param schema where the spec's sources are looked up
  public static PartitionRanges of(PartitionSpec spec, Schema schema) {
    PartitionRanges ranges = new PartitionRanges();
    Map<Integer, Integer> parents = TypeUtil.indexParents(schema.asStruct());
    for (PartitionRange range : PartitionRange.of(spec, schema)) {
      List<Integer> path = new ArrayList<>();
      for (Integer at = range.sourceId(); at != null; at = parents.get(at)) {
        path.add(0, at);
      }
      ranges.sources.add(
          new Source(
              range,
              Objects.requireNonNull(schema.findColumnName(range.sourceId())),
              schema.findType(range.sourceId()),
              List.copyOf(path),
              range.min().max(BigInteger.valueOf(Long.MIN_VALUE)).longValue(),
              range.max().min(BigInteger.valueOf(Long.MAX_VALUE)).longValue()));
    }
    return ranges;
  }

  /// @param columns top-level columns; one that is not there is null in every row
  public void check(List<FieldVector> columns, int rows, Finding finding) {
    for (Source source : sources) {
      List<FieldVector> level = columns;
      List<FieldVector> chain = new ArrayList<>();
      for (int id : source.path()) {
        FieldVector vector = ArrowSchemas.find(level, id);
        if (vector == null) {
          break;
        }
        chain.add(vector);
        level = vector.getChildrenFromFields();
      }
      if (chain.size() == source.path().size()) {
        check(source, chain, rows, finding);
      }
    }
  }

  private static void check(Source source, List<FieldVector> chain, int rows, Finding finding) {
    FieldVector vector = chain.get(chain.size() - 1);
    for (int row = 0; row < rows; row++) {
      if (isPresent(chain, row) && !source.holds(vector, row)) {
        finding.found(source, vector, row);
      }
    }
  }

  private static boolean isPresent(List<FieldVector> chain, int row) {
    for (FieldVector vector : chain) {
      if (vector.isNull(row)) {
        return false;
      }
    }
    return true;
  }

  /// A value of a source in words: its whole number, or its decimal.
  public static String text(FieldVector vector, int row) {
    return vector instanceof DecimalVector decimals
        ? new BigDecimal(unscaled(decimals, row), decimals.getScale()).toPlainString()
        : Long.toString(number(vector, row));
  }

  private static long number(FieldVector vector, int row) {
    long values = vector.getDataBuffer().memoryAddress();
    return vector instanceof IntVector
        ? MemoryUtil.getInt(values + (long) Integer.BYTES * row)
        : MemoryUtil.getLong(values + (long) Long.BYTES * row);
  }

  private static BigInteger unscaled(DecimalVector vector, int row) {
    long at = vector.getDataBuffer().memoryAddress() + (long) DecimalVector.TYPE_WIDTH * row;
    long low = MemoryUtil.getLong(at);
    BigInteger high = BigInteger.valueOf(MemoryUtil.getLong(at + Long.BYTES));
    return high.shiftLeft(Long.SIZE).or(new BigInteger(Long.toUnsignedString(low)));
  }
}
