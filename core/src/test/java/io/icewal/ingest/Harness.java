package io.icewal.ingest;

import io.icewal.model.RowBatch;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.NullUnmarked;

/// Validates single batches. Closing it fails if any buffer is left.
@NullUnmarked // Nulls are part of what is tested.
final class Harness implements AutoCloseable {
  static final TableIdentifier NAME = TableIdentifier.of("ns", "t");

  final BufferAllocator root = new RootAllocator();

  /// What the input lives in.
  final BufferAllocator in = root.newChildAllocator("in", 0, Long.MAX_VALUE);

  /// What the output lives in.
  final BufferAllocator out = root.newChildAllocator("out", 0, Long.MAX_VALUE);

  final DictionaryProvider.MapDictionaryProvider dictionaries =
      new DictionaryProvider.MapDictionaryProvider();
  IngestLimits limits = IngestLimits.defaults();

  static IngestTable table(Schema schema) {
    return table(schema, PartitionSpec.unpartitioned());
  }

  static IngestTable table(Schema schema, PartitionSpec spec) {
    return new IngestTable(new UUID(7, 9), NAME, schema, schema.highestFieldId(), spec, null);
  }

  /// A schema of one optional column `v`.
  static Schema column(Type type) {
    return new Schema(NestedField.optional(1, "v", type));
  }

  static Field field(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.nullable(type), List.of(children));
  }

  static VectorSchemaRoot rows(int count, FieldVector... vectors) {
    return new VectorSchemaRoot(
        List.of(vectors).stream().map(FieldVector::getField).toList(), List.of(vectors), count);
  }

  ValidatedBatch validate(Schema schema, VectorSchemaRoot batch) {
    return validate(schema, StreamOptions.Op.UPSERT, StreamOptions.Mode.REJECT, batch);
  }

  ValidatedBatch validate(
      Schema schema, StreamOptions.Op op, StreamOptions.Mode mode, VectorSchemaRoot batch) {
    return validate(table(schema), op, mode, batch);
  }

  ValidatedBatch validate(
      IngestTable table, StreamOptions.Op op, StreamOptions.Mode mode, VectorSchemaRoot batch) {
    RowPlan plan = RowPlan.of(table, op, batch.getSchema(), dictionaries);
    return new RowValidator(plan, mode, limits, out).validate(batch, dictionaries);
  }

  /// Validates one column `v` of the given type, which must be good.
  List<Object> good(Type type, VectorSchemaRoot batch) {
    try (batch) {
      ValidatedBatch result = validate(column(type), batch);
      RowBatch rows = result.rows();
      if (rows == null) {
        throw new AssertionError("refused: " + result.verdicts());
      }
      try (rows) {
        return Canonical.read(rows.rows().getVector(0), type);
      }
    }
  }

  /// Validates one column `v` of the given type, which must have bad rows: `row rule value`.
  List<String> bad(Type type, VectorSchemaRoot batch) {
    try (batch) {
      ValidatedBatch result = validate(column(type), batch);
      if (result.rows() != null) {
        result.rows().close();
        throw new AssertionError("accepted");
      }
      return result.verdicts().stream()
          .map(verdict -> verdict.row() + " " + verdict.rule() + " " + verdict.value())
          .toList();
    }
  }

  /// One column `v` of the given Arrow type, filled by the caller.
  @SuppressWarnings("unchecked")
  <V extends FieldVector> VectorSchemaRoot column(ArrowType type, int count, Consumer<V> fill) {
    return column(field("v", type), count, fill);
  }

  @SuppressWarnings("unchecked")
  <V extends FieldVector> VectorSchemaRoot column(Field field, int count, Consumer<V> fill) {
    FieldVector vector = field.createVector(in);
    vector.setInitialCapacity(Math.max(1, count));
    vector.allocateNew();
    fill.accept((V) vector);
    vector.setValueCount(count);
    return rows(count, vector);
  }

  @Override
  public void close() {
    dictionaries.getDictionaryIds().forEach(id -> dictionaries.lookup(id).getVector().close());
    long left = out.getAllocatedMemory();
    if (left != 0) {
      throw new AssertionError(left + " bytes of converted rows were not closed");
    }
    out.close();
    in.close();
    root.close();
  }
}
