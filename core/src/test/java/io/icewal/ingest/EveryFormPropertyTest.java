package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.BlockKind;
import io.icewal.model.RowBatch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Random table types, random rows, random Arrow forms of the same rows: the canonical rows must
/// hold the same values.
@NullUnmarked // Nulls are part of what is tested.
class EveryFormPropertyTest {
  private static final int ROUNDS = 80;

  private Schema schema;
  private List<List<Object>> expected;

  /// What is checked of one random batch.
  private interface Check {
    void run(Harness harness, VectorSchemaRoot batch, Random random) throws IOException;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyFormGivesTheSameValues(long seed) {
    rounds(
        seed,
        ArrowInput.Dictionaries.ANY_TYPE,
        (harness, batch, random) -> compare(harness, batch, harness.dictionaries));
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5, 6})
  void b121_theSameBatchOffTheWireGivesTheSameValues(long seed) {
    rounds(
        seed,
        ArrowInput.Dictionaries.LEAVES,
        (harness, batch, random) -> {
          byte[] bytes = encode(harness, batch);
          try (ArrowStreamReader reader =
              new ArrowStreamReader(new ByteArrayInputStream(bytes), harness.in)) {
            reader.loadNextBatch();
            compare(harness, reader.getVectorSchemaRoot(), reader);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8})
  void aSelectionOfRowsGivesTheirValues(long seed) {
    rounds(
        seed,
        ArrowInput.Dictionaries.ANY_TYPE,
        (harness, batch, random) -> {
          int[] selected = random.ints(5, 0, batch.getRowCount()).sorted().distinct().toArray();
          compareSelected(harness, batch, selected);
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {9, 10})
  void b133_nothingIsLeftOpenWhereverMemoryRunsOut(long seed) {
    rounds(
        seed,
        ArrowInput.Dictionaries.ANY_TYPE,
        (harness, batch, random) -> {
          boolean enough = false;
          for (long bytes = 0; !enough; bytes += 64 + bytes / 2) {
            enough = fits(harness, batch, bytes);
          }
        });
  }

  private void rounds(long seed, ArrowInput.Dictionaries depth, Check check) {
    for (int round = 0; round < ROUNDS; round++) {
      long own = seed * 1_000_003 + round;
      Random random = new Random(own);
      try (Harness harness = new Harness();
          VectorSchemaRoot batch = draw(harness, random, depth)) {
        check.run(harness, batch, random);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + own, e);
      }
    }
  }

  private VectorSchemaRoot draw(Harness harness, Random random, ArrowInput.Dictionaries depth) {
    RandomRows rows = new RandomRows();
    List<NestedField> columns = new ArrayList<>();
    int columnCount = 1 + random.nextInt(4);
    for (int i = 0; i < columnCount; i++) {
      columns.add(NestedField.optional(i + 1, "c" + i, rows.type(random, 3)));
    }
    schema = new Schema(columns);
    expected = new ArrayList<>();
    int count = 1 + random.nextInt(40);
    ArrowInput input = new ArrowInput(random, harness.in, harness.dictionaries, depth);
    List<FieldVector> vectors = new ArrayList<>();
    for (NestedField column : columns) {
      List<Object> values = RandomRows.values(random, column.type(), count);
      expected.add(values);
      vectors.add(random.nextInt(vectors.size() + 1), write(harness, input, column, values));
    }
    return Harness.rows(count, vectors.toArray(FieldVector[]::new));
  }

  private static FieldVector write(
      Harness harness, ArrowInput input, NestedField column, List<Object> values) {
    ArrowInput.Form form = input.form(column.type());
    FieldVector vector = form.field(column.name()).createVector(harness.in);
    vector.setInitialCapacity(8);
    vector.allocateNew();
    for (int i = 0; i < values.size(); i++) {
      form.write(vector, i, values.get(i));
    }
    form.end(vector, values.size());
    vector.setValueCount(values.size());
    return vector;
  }

  private static byte[] encode(Harness harness, VectorSchemaRoot batch) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ArrowStreamWriter writer = new ArrowStreamWriter(batch, harness.dictionaries, bytes)) {
      writer.writeBatch();
    }
    return bytes.toByteArray();
  }

  private RowPlan plan(VectorSchemaRoot batch, DictionaryProvider dictionaries) {
    return RowPlan.of(
        Harness.table(schema), StreamOptions.Op.UPSERT, batch.getSchema(), dictionaries);
  }

  private ValidatedBatch validate(
      Harness harness,
      VectorSchemaRoot batch,
      DictionaryProvider dictionaries,
      BufferAllocator allocator) {
    return new RowValidator(
            plan(batch, dictionaries), StreamOptions.Mode.REJECT, harness.limits, allocator)
        .validate(batch, dictionaries);
  }

  private void compare(Harness harness, VectorSchemaRoot batch, DictionaryProvider dictionaries) {
    ValidatedBatch result = validate(harness, batch, dictionaries, harness.out);
    assertThat(result.verdicts()).isEmpty();
    try (RowBatch rows = result.rows()) {
      for (int i = 0; i < expected.size(); i++) {
        NestedField column = schema.columns().get(i);
        assertThat(Canonical.read(rows.rows().getVector(i), column.type()))
            .as("%s", column)
            .isEqualTo(expected.get(i));
      }
    }
  }

  private void compareSelected(Harness harness, VectorSchemaRoot batch, int[] selected) {
    RowPlan plan = plan(batch, harness.dictionaries);
    Conversion run =
        new Conversion(harness.out, harness.dictionaries, new VerdictList(1), null, 1L << 28);
    Slots slots = Slots.rows(selected, batch.getRowCount());
    for (int i = 0; i < expected.size(); i++) {
      PlannedColumn column = plan.columns(BlockKind.UPSERT).get(i);
      List<Object> some = new ArrayList<>();
      for (int row : selected) {
        some.add(expected.get(i).get(row));
      }
      try (FieldVector out = column.field().createVector(harness.out)) {
        column.convert(batch.getFieldVectors(), slots, out, run);
        assertThat(Canonical.read(out, schema.columns().get(i).type())).isEqualTo(some);
      }
    }
  }

  private boolean fits(Harness harness, VectorSchemaRoot batch, long bytes) {
    try (BufferAllocator little = harness.root.newChildAllocator("little", 0, bytes)) {
      try (RowBatch rows = validate(harness, batch, harness.dictionaries, little).rows()) {
        return rows.rowCount() == batch.getRowCount();
      } catch (OutOfMemoryException e) {
        assertThat(little.getAllocatedMemory()).isZero();
        return false;
      }
    }
  }
}
