package io.icewal.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.RowBatch;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@NullUnmarked // Nulls are part of what is tested.
class EncodedColumnsTest {
  private static final Type STRING = Types.StringType.get();
  private static final ArrowType INT8 = new ArrowType.Int(8, true);
  private static final DictionaryEncoding ENCODING =
      new DictionaryEncoding(3, false, new ArrowType.Int(8, true));

  private final Harness harness = new Harness();

  @AfterEach
  void nothingIsLeftOpen() {
    harness.close();
  }

  private DictionaryProvider dictionary(String... values) {
    VarCharVector vector = new VarCharVector("d", harness.in);
    for (int i = 0; i < values.length; i++) {
      if (values[i] != null) {
        vector.setSafe(i, values[i].getBytes(UTF_8));
      }
    }
    vector.setValueCount(values.length);
    return new DictionaryProvider.MapDictionaryProvider(new Dictionary(vector, ENCODING));
  }

  private static void close(DictionaryProvider dictionaries) {
    dictionaries.lookup(3).getVector().close();
  }

  private static Field indexField(String name) {
    return new Field(name, new FieldType(true, INT8, ENCODING), List.of());
  }

  private VectorSchemaRoot indexes(Integer... indexes) {
    return harness.<TinyIntVector>column(
        indexField("v"),
        indexes.length,
        vector -> {
          for (int i = 0; i < indexes.length; i++) {
            if (indexes[i] != null) {
              vector.setSafe(i, indexes[i]);
            }
          }
        });
  }

  private List<Object> read(
      RowPlan plan, Type type, VectorSchemaRoot batch, DictionaryProvider dictionaries) {
    try (batch) {
      ValidatedBatch result =
          new RowValidator(plan, StreamOptions.Mode.REJECT, harness.limits, harness.out)
              .validate(batch, dictionaries);
      try (RowBatch rows = result.rows()) {
        return rows == null
            ? List.copyOf(result.verdicts())
            : Canonical.read(rows.rows().getVector(0), type);
      }
    } finally {
      close(dictionaries);
    }
  }

  private RowPlan plan(Type type, Field field) {
    DictionaryProvider empty = dictionary();
    RowPlan plan =
        RowPlan.of(
            Harness.table(Harness.column(type)),
            StreamOptions.Op.UPSERT,
            new org.apache.arrow.vector.types.pojo.Schema(List.of(field)),
            empty);
    close(empty);
    return plan;
  }

  @Test
  void b116_eachBatchUsesItsOwnDictionary() {
    RowPlan plan = plan(STRING, indexField("v"));
    assertThat(read(plan, STRING, indexes(0, 1, null), dictionary("a", "b")))
        .isEqualTo(Arrays.asList("a", "b", null));
    assertThat(read(plan, STRING, indexes(1, 0), dictionary("c", "d")))
        .isEqualTo(List.of("d", "c"));
    assertThat(read(plan, STRING, indexes(2, 3), dictionary("c", "d", "e", null)))
        .isEqualTo(Arrays.asList("e", null));
  }

  @Test
  void b116_indexesOutsideTheDictionaryAreRefused() {
    RowPlan plan = plan(STRING, indexField("v"));
    assertThat(read(plan, STRING, indexes(0, 2, -1), dictionary("a", "b")).toString())
        .contains("row=1", "index 2", "row=2", "index -1");
  }

  @Test
  void b116_dictionariesWithinStructsAndListsAreLookedUp() {
    Type type =
        Types.StructType.of(
            NestedField.optional(2, "l", Types.ListType.ofOptional(3, STRING)),
            NestedField.optional(4, "s", STRING));
    Field list = Harness.field("l", ArrowType.List.INSTANCE, indexField("item"));
    Field field = Harness.field("v", ArrowType.Struct.INSTANCE, list, indexField("s"));
    RowPlan plan = plan(type, field);
    VectorSchemaRoot batch =
        harness.<StructVector>column(
            field,
            2,
            struct -> {
              ListVector lists = (ListVector) struct.getChildrenFromFields().get(0);
              TinyIntVector items = (TinyIntVector) lists.getDataVector();
              TinyIntVector direct = (TinyIntVector) struct.getChildrenFromFields().get(1);
              lists.startNewValue(1);
              items.setSafe(0, 1);
              items.setSafe(1, 0);
              lists.endValue(1, 2);
              direct.setSafe(1, 1);
              struct.setIndexDefined(1);
            });
    assertThat(read(plan, type, batch, dictionary("x", "y")))
        .isEqualTo(Arrays.asList(null, List.of(List.of("y", "x"), "y")));
  }

  @Test
  void b116_nullInADictionaryIsRefusedInARequiredColumn() {
    Schema schema = new Schema(NestedField.required(1, "v", STRING));
    DictionaryProvider dictionaries = dictionary("a", null);
    try (VectorSchemaRoot batch = indexes(0, 1)) {
      RowPlan plan =
          RowPlan.of(
              Harness.table(schema), StreamOptions.Op.UPSERT, batch.getSchema(), dictionaries);
      ValidatedBatch result =
          new RowValidator(plan, StreamOptions.Mode.REJECT, harness.limits, harness.out)
              .validate(batch, dictionaries);
      assertThat(result.verdicts()).hasSize(1);
      assertThat(result.verdicts().get(0).row()).isEqualTo(1);
    }
    close(dictionaries);
  }

  private static Field runField(ArrowType values) {
    Field ends =
        new Field("run_ends", FieldType.notNullable(new ArrowType.Int(32, true)), List.of());
    return new Field(
        "v",
        FieldType.notNullable(ArrowType.RunEndEncoded.INSTANCE),
        List.of(ends, Harness.field("values", values)));
  }

  private VectorSchemaRoot runs(int count, int[] ends, String... values) {
    return harness.<RunEndEncodedVector>column(
        nullable(runField(ArrowType.Utf8.INSTANCE)),
        count,
        vector -> {
          for (int i = 0; i < ends.length; i++) {
            ((IntVector) vector.getRunEndsVector()).setSafe(i, ends[i]);
            if (values[i] != null) {
              ((VarCharVector) vector.getValuesVector()).setSafe(i, values[i].getBytes(UTF_8));
            }
          }
          vector.getRunEndsVector().setValueCount(ends.length);
          vector.getValuesVector().setValueCount(ends.length);
        });
  }

  private static Field nullable(Field field) {
    return new Field(field.getName(), FieldType.nullable(field.getType()), field.getChildren());
  }

  @Test
  void b118_runsAreUnrolled() {
    assertThat(harness.good(STRING, runs(6, new int[] {2, 3, 9}, "a", null, "c")))
        .isEqualTo(Arrays.asList("a", "a", null, "c", "c", "c"));
  }

  @Test
  void b118_runsThatDoNotRiseOrCoverAreRefused() {
    assertThat(harness.bad(STRING, runs(3, new int[] {2, 2}, "a", "b")))
        .containsExactly("-1 malformed null");
    assertThat(harness.bad(STRING, runs(3, new int[] {2}, "a")))
        .containsExactly("-1 malformed null");
    assertThat(harness.bad(STRING, runs(3, new int[] {-1, 5}, "a", "b")))
        .containsExactly("-1 malformed null");
  }

  @Test
  void b124_aRunThatUnrollsBeyondTheLimitIsRefused() {
    harness.limits =
        new IngestLimits(
            1 << 20, 1 << 20, 1 << 20, java.time.Duration.ZERO, java.time.Duration.ZERO, 100);
    try (VectorSchemaRoot batch = runs(100_000, new int[] {100_000}, "x".repeat(1000))) {
      ValidatedBatch result = harness.validate(Harness.column(STRING), batch);
      assertThat(result.rows()).isNull();
      assertThat(result.verdicts().get(0).rule()).isEqualTo("batch-size");
      assertThat(result.verdicts().get(0).message()).contains("1048576 bytes");
    }
  }

  @Test
  void arrowNullsFillAnyOptionalColumn() {
    for (Type type :
        List.of(
            Types.LongType.get(),
            STRING,
            Types.BooleanType.get(),
            Types.DecimalType.of(9, 2),
            Types.UUIDType.get(),
            Types.ListType.ofRequired(2, STRING),
            Types.MapType.ofRequired(2, 3, STRING, STRING),
            Types.StructType.of(NestedField.required(2, "x", STRING)))) {
      FieldVector nulls = new NullVector("v", 3);
      assertThat(harness.good(type, Harness.rows(3, nulls)))
          .isEqualTo(Arrays.asList(null, null, null));
    }
  }
}
