package io.icewal.trino.write;

import io.icewal.merge.KeyColumns;
import io.icewal.model.BadValue;
import io.icewal.model.PartitionRanges;
import io.icewal.model.RequiredFields;
import io.icewal.model.Rule;
import io.icewal.trino.arrow.BlockVectors;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Converts rows into Arrow columns and refuses those that their table cannot take, as the ingestor
/// does: by row, column and rule. No task knows the number of a row within its statement, so that a
/// row is named by its key, or by its values where there is none. Used by one thread.
final class RowCheck {
  private static final int VALUE_CHARS_MAX = 100;
  private static final int ROW_CHARS_MAX = 400;

  private final List<NestedField> fields;
  private final Set<Integer> named;
  private final RequiredFields required;
  private final PartitionRanges partitions;

  /// @param columns that rows come in
  RowCheck(Schema columns, PartitionRanges partitions) {
    KeyColumns key = KeyColumns.of(columns);
    this.fields = columns.columns();
    this.named =
        (key.isEmpty() ? columns : key.keySchema())
            .columns().stream().map(NestedField::fieldId).collect(Collectors.toSet());
    this.required = new RequiredFields(key.fieldIds());
    this.partitions = partitions;
  }

  /// Rows as Trino has them.
  ///
  /// @param blocks a column each
  record Rows(int count, List<Block> blocks, List<Type> types) {
    private Rows only(int row) {
      return new Rows(1, blocks.stream().map(block -> block.getRegion(row, 1)).toList(), types);
    }
  }

  /// The rows as Arrow columns, each of them good.
  ///
  /// @return owned by the caller
  List<FieldVector> convert(Rows rows, BufferAllocator allocator) {
    List<FieldVector> vectors = new ArrayList<>();
    try {
      for (int i = 0; i < fields.size(); i++) {
        vectors.add(vector(rows, i, allocator));
        required.check(vectors.get(i));
      }
      return vectors;
    } catch (BadValue e) {
      vectors.forEach(FieldVector::close);
      throw firstRefusal(e, rows, allocator);
    } catch (RuntimeException | Error e) {
      vectors.forEach(FieldVector::close);
      throw e;
    }
  }

  private FieldVector vector(Rows rows, int column, BufferAllocator allocator) {
    return BlockVectors.of(
        rows.blocks().get(column), rows.types().get(column), fields.get(column), allocator);
  }

  /// What is wrong with the first bad row: rows are looked at one by one only once there is one.
  ///
  /// @param found something bad in one of the rows
  private TrinoException firstRefusal(BadValue found, Rows rows, BufferAllocator allocator) {
    for (int row = 0; row < rows.count(); row++) {
      Rows one = rows.only(row);
      for (int i = 0; i < fields.size(); i++) {
        try (FieldVector vector = vector(one, i, allocator)) {
          required.check(vector);
        } catch (BadValue e) {
          return refusal(e, null, rows, row);
        }
      }
    }
    throw new IllegalStateException("a row was bad and then good", found);
  }

  /// Refuses rows that have no partition.
  void checkPartitions(List<FieldVector> vectors, Rows rows) {
    partitions.check(
        vectors,
        rows.count(),
        (source, vector, row) -> {
          BadValue bad = new BadValue(Rule.PARTITION, source.name(), source.range().message());
          throw refusal(bad, PartitionRanges.text(vector, row), rows, row);
        });
  }

  private TrinoException refusal(BadValue bad, @Nullable String value, Rows rows, int row) {
    return new TrinoException(
        StandardErrorCode.CONSTRAINT_VIOLATION,
        "row (%s), column %s, rule %s%s: %s"
            .formatted(
                text(rows, row),
                bad.path(),
                bad.rule().text(),
                value == null ? "" : ", value " + value,
                bad.reason()),
        bad);
  }

  private String text(Rows rows, int row) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < fields.size() && text.length() < ROW_CHARS_MAX; i++) {
      if (named.contains(fields.get(i).fieldId())) {
        text.append(text.isEmpty() ? "" : ", ").append(fields.get(i).name()).append(" = ");
        Object value = rows.types().get(i).getObjectValue(rows.blocks().get(i), row);
        text.append(cut(String.valueOf(value), VALUE_CHARS_MAX));
      }
    }
    return cut(text.toString(), ROW_CHARS_MAX);
  }

  private static String cut(String text, int max) {
    return text.length() <= max ? text : text.substring(0, max - 1) + "…";
  }
}
