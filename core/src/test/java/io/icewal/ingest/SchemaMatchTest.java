package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.BlockKind;
import io.icewal.model.IcewalException;
import io.icewal.model.RowBatch;
import io.icewal.model.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@NullUnmarked // Nulls are part of what is tested.
class SchemaMatchTest {
  private static final Type INT = Types.IntegerType.get();
  private static final ArrowType INT32 = new ArrowType.Int(32, true);
  private static final Schema KEYED =
      new Schema(
          List.of(
              NestedField.required(1, "id", INT),
              NestedField.required(2, "a", INT),
              NestedField.optional(3, "b", INT)),
          Set.of(1));

  private final Harness harness = new Harness();

  @AfterEach
  void nothingIsLeftOpen() {
    harness.close();
  }

  private IntVector ints(String name, Integer... values) {
    IntVector vector = new IntVector(name, harness.in);
    vector.allocateNew(Math.max(1, values.length));
    for (int i = 0; i < values.length; i++) {
      if (values[i] != null) {
        vector.setSafe(i, values[i]);
      }
    }
    vector.setValueCount(values.length);
    return vector;
  }

  private List<Verdict> refusal(Schema schema, StreamOptions.Op op, Field... fields) {
    IcewalException refusal =
        catchThrowableOfType(
            IcewalException.class,
            () ->
                RowPlan.of(
                    Harness.table(schema),
                    op,
                    new org.apache.arrow.vector.types.pojo.Schema(List.of(fields)),
                    harness.dictionaries));
    assertThat(refusal).isNotNull();
    return refusal.verdicts();
  }

  private static Field intField(String name) {
    return Harness.field(name, INT32);
  }

  private List<List<Object>> read(RowBatch rows) {
    List<List<Object>> columns = new ArrayList<>();
    for (FieldVector vector : rows.rows().getFieldVectors()) {
      List<Object> column = new ArrayList<>();
      column.add(ArrowSchemas.fieldId(vector.getField()));
      column.addAll(Canonical.read(vector, INT));
      columns.add(column);
    }
    return columns;
  }

  @Test
  void b085_columnsGoByNameNeverByPlace() {
    try (VectorSchemaRoot batch = Harness.rows(1, ints("b", 3), ints("id", 1), ints("a", 2));
        RowBatch rows = harness.validate(KEYED, batch).rows()) {
      assertThat(read(rows)).isEqualTo(List.of(List.of(1, 1), List.of(2, 2), List.of(3, 3)));
    }
  }

  @Test
  void b085_anOptionalColumnThatWasNotSentIsAbsent() {
    try (VectorSchemaRoot batch = Harness.rows(1, ints("a", 2), ints("id", 1));
        RowBatch rows = harness.validate(KEYED, batch).rows()) {
      assertThat(read(rows)).isEqualTo(List.of(List.of(1, 1), List.of(2, 2)));
    }
  }

  @Test
  void everyColumnThatDoesNotFitIsNamedAtOnce() {
    List<Verdict> verdicts =
        refusal(
            KEYED,
            StreamOptions.Op.UPSERT,
            intField("ID"),
            intField("a"),
            intField("a"),
            Harness.field("b", ArrowType.Utf8.INSTANCE));
    assertThat(verdicts.stream().map(verdict -> verdict.rule() + " " + verdict.column()))
        .containsExactlyInAnyOrder(
            "duplicate-column a", "unknown-column ID", "missing-column id", "type b");
    assertThat(verdicts).allMatch(verdict -> verdict.row() == -1);
    assertThat(verdicts.toString())
        .contains("did you mean 'id'?", "the nearest one sent is 'ID'", "expected an integer");
  }

  @Test
  void b088_writeDefaultIsFilledInAndInitialDefaultIsNot() {
    Schema schema =
        new Schema(
            NestedField.required(1, "id", INT),
            NestedField.required("w").withId(2).ofType(INT).withWriteDefault(Literal.of(9)).build(),
            NestedField.optional("i")
                .withId(3)
                .ofType(INT)
                .withInitialDefault(Literal.of(5))
                .build());
    try (VectorSchemaRoot batch = Harness.rows(2, ints("id", 1, 2));
        RowBatch rows = harness.validate(schema, batch).rows()) {
      assertThat(read(rows)).isEqualTo(List.of(List.of(1, 1, 2), List.of(2, 9, 9)));
    }
  }

  @Test
  void b088_aNullThatWasSentIsNotADefault() {
    Schema schema =
        new Schema(
            NestedField.optional("w")
                .withId(2)
                .ofType(INT)
                .withWriteDefault(Literal.of(9))
                .build());
    try (VectorSchemaRoot batch = Harness.rows(2, ints("w", 1, null));
        RowBatch rows = harness.validate(schema, batch).rows()) {
      assertThat(read(rows)).isEqualTo(List.of(Arrays.asList(2, 1, null)));
    }
  }

  @Test
  void b110_anyNameIsANameAndADotMeansNothing() {
    Schema schema =
        new Schema(
            NestedField.optional(1, "a.b", INT),
            NestedField.optional(2, "a", Types.StructType.of(NestedField.optional(3, "c", INT))),
            NestedField.optional(4, "$data", INT),
            NestedField.optional(5, "my/data", INT),
            NestedField.optional(6, "sp ace", INT),
            NestedField.optional(7, "日本", INT),
            NestedField.optional(8, "1abc", INT),
            NestedField.optional(9, "_pos", INT),
            NestedField.optional(10, "file_path", INT));
    StructVector a =
        (StructVector)
            Harness.field("a", ArrowType.Struct.INSTANCE, intField("c")).createVector(harness.in);
    ((IntVector) a.getChildrenFromFields().get(0)).setSafe(0, 2);
    a.setIndexDefined(0);
    a.setValueCount(1);
    try (VectorSchemaRoot batch =
            Harness.rows(
                1,
                ints("file_path", 10),
                ints("_pos", 9),
                ints("1abc", 8),
                ints("日本", 7),
                ints("sp ace", 6),
                ints("my/data", 5),
                ints("$data", 4),
                a,
                ints("a.b", 1));
        RowBatch rows = harness.validate(schema, batch).rows()) {
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < schema.columns().size(); i++) {
        values.add(Canonical.read(rows.rows().getVector(i), 0, schema.columns().get(i).type()));
      }
      assertThat(values).isEqualTo(List.of(1, List.of(2), 4, 5, 6, 7, 8, 9, 10));
    }
  }

  @Test
  void deletesNeedTheKeyOnlyAndIgnoreTheRest() {
    try (VectorSchemaRoot batch =
            Harness.rows(2, ints("b", null, null), ints("other", 1, 2), ints("id", 5, 6));
        RowBatch rows =
            harness
                .validate(KEYED, StreamOptions.Op.DELETE, StreamOptions.Mode.REJECT, batch)
                .rows()) {
      assertThat(rows.kind()).isEqualTo(BlockKind.DELETE);
      assertThat(read(rows)).isEqualTo(List.of(List.of(1, 5, 6)));
    }
  }

  @Test
  void deletesOnATableWithoutKeyAreRefused() {
    Schema append = new Schema(NestedField.optional(1, "id", INT));
    assertThat(refusal(append, StreamOptions.Op.DELETE, intField("id"))).isEmpty();
  }

  @Test
  void b112_opIsAColumnOnlyWhereTheStreamSaysSo() {
    assertThat(
            refusal(KEYED, StreamOptions.Op.UPSERT, intField("id"), intField("a"), intField("_op"))
                .toString())
        .contains("unknown-column", "opened with that option");
    assertThat(refusal(KEYED, StreamOptions.Op.DELETE, intField("id"), intField("_op")).toString())
        .contains("all rows of this stream delete");
    assertThat(refusal(KEYED, StreamOptions.Op.COLUMN, intField("id"), intField("a")).toString())
        .contains("missing-column");
  }

  private ValidatedBatch withOps(FieldVector ops, StreamOptions.Mode mode) {
    int count = ops.getValueCount();
    Integer[] ids = new Integer[count];
    Integer[] as = new Integer[count];
    for (int i = 0; i < count; i++) {
      ids[i] = i;
      as[i] = i == 1 ? null : 10 + i;
    }
    try (VectorSchemaRoot batch = Harness.rows(count, ints("a", as), ops, ints("id", ids))) {
      return harness.validate(KEYED, StreamOptions.Op.COLUMN, mode, batch);
    }
  }

  @Test
  void rowsOfBothKindsAreMixedAndADeletesOtherColumnsDoNotCount() {
    try (RowBatch rows = withOps(ints("_op", 0, 1, 0), StreamOptions.Mode.REJECT).rows()) {
      assertThat(rows.kind()).isEqualTo(BlockKind.MIXED);
      TinyIntVector ops = rows.ops();
      assertThat(List.of(ops.get(0), ops.get(1), ops.get(2)))
          .isEqualTo(List.of((byte) 0, (byte) 1, (byte) 0));
      assertThat(read(rows))
          .isEqualTo(List.of(List.of(1, 0, 1, 2), Arrays.asList(2, 10, null, 12)));
    }
  }

  @Test
  void rowsOfOneKindAreNotMixed() {
    try (RowBatch deletes = withOps(ints("_op", 1, 1), StreamOptions.Mode.REJECT).rows()) {
      assertThat(deletes.kind()).isEqualTo(BlockKind.DELETE);
      assertThat(read(deletes)).isEqualTo(List.of(List.of(1, 0, 1)));
    }
  }

  @Test
  void opsMayBeTextAndBadOnesAreVerdicts() {
    VarCharVector texts = new VarCharVector("_op", harness.in);
    List<String> words = List.of("upsert", "delete", "drop");
    for (int i = 0; i < words.size(); i++) {
      texts.setSafe(i, words.get(i).getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    texts.setValueCount(3);
    ValidatedBatch result = withOps(texts, StreamOptions.Mode.PARTIAL);
    try (RowBatch rows = result.rows()) {
      assertThat(rows.kind()).isEqualTo(BlockKind.MIXED);
      assertThat(rows.rowCount()).isEqualTo(2);
      assertThat(result.verdicts()).hasSize(1);
      assertThat(result.verdicts().get(0).row()).isEqualTo(2);
      assertThat(result.verdicts().get(0).rule()).isEqualTo("op");
      assertThat(result.verdicts().get(0).value()).isEqualTo("drop");
    }
  }

  @Test
  void thousandsOfUnknownColumnsAreAllNamedAndOnlyTheFirstCompared() {
    Field[] sent = new Field[3_000];
    for (int i = 0; i < sent.length; i++) {
      sent[i] = intField("i" + "d".repeat(150) + i);
    }
    List<Verdict> verdicts = refusal(KEYED, StreamOptions.Op.UPSERT, sent);

    assertThat(verdicts).filteredOn(v -> v.rule().equals("unknown-column")).hasSize(3_000);
    assertThat(verdicts.stream().filter(v -> v.message().contains("did you mean")).count())
        .isLessThanOrEqualTo(20);
  }

  @Test
  void aKeyColumnThatWasNotSentHasItsDefaultInDeletingRowsToo() {
    NestedField region =
        NestedField.required("region")
            .withId(3)
            .ofType(INT)
            .withWriteDefault(Literal.of(9))
            .build();
    Schema schema = new Schema(List.of(NestedField.required(1, "id", INT), region), Set.of(1, 3));
    try (VectorSchemaRoot batch = Harness.rows(2, ints("id", 0, 1), ints("_op", 0, 1));
        RowBatch rows =
            harness
                .validate(schema, StreamOptions.Op.COLUMN, StreamOptions.Mode.REJECT, batch)
                .rows()) {
      assertThat(rows.kind()).isEqualTo(BlockKind.MIXED);
      assertThat(read(rows)).isEqualTo(List.of(List.of(1, 0, 1), List.of(3, 9, 9)));
    }
  }

  @Test
  void aKeyWithinAStructIsCheckedAndPruned() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(
                    1,
                    "s",
                    Types.StructType.of(
                        NestedField.required(2, "k", INT), NestedField.required(3, "x", INT))),
                NestedField.optional(4, "v", INT)),
            Set.of(2));
    StructVector s =
        (StructVector)
            Harness.field("s", ArrowType.Struct.INSTANCE, intField("x"), intField("k"))
                .createVector(harness.in);
    IntVector x = (IntVector) s.getChildrenFromFields().get(0);
    IntVector k = (IntVector) s.getChildrenFromFields().get(1);
    for (int i = 0; i < 2; i++) {
      s.setIndexDefined(i);
      k.setSafe(i, i);
    }
    x.setSafe(0, 7);
    s.setValueCount(2);
    try (VectorSchemaRoot batch = Harness.rows(2, s, ints("_op", 0, 1));
        RowBatch rows =
            harness
                .validate(schema, StreamOptions.Op.COLUMN, StreamOptions.Mode.REJECT, batch)
                .rows()) {
      assertThat(Canonical.read(rows.rows().getVector(0), schema.columns().get(0).type()))
          .isEqualTo(List.of(List.of(0, 7), Arrays.asList(1, null)));
    }
  }
}
