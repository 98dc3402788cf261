package io.icewal.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.IcewalException;
import io.icewal.model.RowBatch;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.ArrowType;
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
class NestedConversionTest {
  private static final ArrowType INT = new ArrowType.Int(32, true);
  private static final Type LIST = Types.ListType.ofOptional(2, Types.IntegerType.get());
  private static final Type STRUCT =
      Types.StructType.of(
          NestedField.required(2, "x", Types.IntegerType.get()),
          NestedField.optional(3, "y", Types.IntegerType.get()));
  private static final Type MAP =
      Types.MapType.ofOptional(2, 3, Types.StringType.get(), Types.IntegerType.get());

  private final Harness harness = new Harness();

  @AfterEach
  void nothingIsLeftOpen() {
    harness.close();
  }

  private static Field listField(ArrowType list) {
    return Harness.field("v", list, Harness.field("item", INT));
  }

  /// A list column whose buffers are as given, over elements 0, 1, 2, …
  private VectorSchemaRoot lists(int valueCount, int elementCount, int validBits, int... offsets) {
    ListVector list = (ListVector) listField(ArrowType.List.INSTANCE).createVector(harness.in);
    IntVector elements = (IntVector) list.getDataVector();
    elements.allocateNew(Math.max(1, elementCount));
    for (int i = 0; i < elementCount; i++) {
      elements.set(i, i);
    }
    elements.setValueCount(elementCount);
    try (ArrowBuf ends = harness.in.buffer(Math.max(4, 4L * offsets.length));
        ArrowBuf valid = harness.in.buffer(8)) {
      valid.setLong(0, validBits);
      for (int i = 0; i < offsets.length; i++) {
        ends.setInt(4L * i, offsets[i]);
      }
      int nullCount = valueCount - Integer.bitCount(validBits & ((1 << valueCount) - 1));
      list.loadFieldBuffers(
          new ArrowFieldNode(valueCount, nullCount),
          List.of(valid, ends.slice(0, 4L * offsets.length)));
    }
    return Harness.rows(valueCount, list);
  }

  @Test
  void b121_slicedListsAreRight() {
    assertThat(harness.good(LIST, lists(2, 9, 0b11, 1, 3, 6)))
        .isEqualTo(List.of(List.of(1, 2), List.of(3, 4, 5)));
    assertThat(harness.good(LIST, lists(3, 9, 0b111, 7, 7, 8, 8)))
        .isEqualTo(List.of(List.of(), List.of(7), List.of()));
  }

  @Test
  void b131_elementsUnderANullListAreIgnored() {
    assertThat(harness.good(LIST, lists(3, 6, 0b101, 0, 2, 4, 6)))
        .isEqualTo(Arrays.asList(List.of(0, 1), null, List.of(4, 5)));
  }

  @Test
  void b121_listsEmptyAtAllLevelsAndWithoutOffsetsAreRight() {
    Type nested =
        Types.ListType.ofOptional(2, Types.ListType.ofOptional(3, Types.IntegerType.get()));
    Field field =
        Harness.field(
            "v",
            ArrowType.List.INSTANCE,
            Harness.field("item", ArrowType.List.INSTANCE, Harness.field("item", INT)));
    ListVector outer = (ListVector) field.createVector(harness.in);
    try (ArrowBuf offsets = harness.in.buffer(16)) {
      offsets.setZero(0, 16);
      outer.loadFieldBuffers(
          new ArrowFieldNode(2, 0), List.of(harness.in.getEmpty(), offsets.slice(0, 12)));
    }
    FieldVector inner = outer.getChildrenFromFields().get(0);
    ArrowBuf none = harness.in.getEmpty();
    inner.loadFieldBuffers(new ArrowFieldNode(0, 0), List.of(none, none));
    inner
        .getChildrenFromFields()
        .get(0)
        .loadFieldBuffers(new ArrowFieldNode(0, 0), List.of(none, none));
    assertThat(harness.good(nested, Harness.rows(2, outer)))
        .isEqualTo(List.of(List.of(), List.of()));
  }

  @Test
  void b119_listsOutsideTheirChildAreRefused() {
    assertThat(harness.bad(LIST, lists(3, 4, 0b111, 0, 2, 99, 4)))
        .containsExactly("1 malformed elements 2 to 99 of 4", "2 malformed elements 99 to 4 of 4");
    assertThat(harness.bad(LIST, lists(2, 4, 0b11, 0, 2))).containsExactly("-1 malformed null");
  }

  /// List views over elements 0, 1, 2, …; offsets and sizes by turns.
  private VectorSchemaRoot listViews(int elementCount, int... offsetsAndSizes) {
    int count = offsetsAndSizes.length / 2;
    VectorSchemaRoot batch =
        harness.<ListViewVector>column(
            listField(ArrowType.ListView.INSTANCE),
            count,
            vector -> {
              IntVector elements = (IntVector) vector.getDataVector();
              for (int i = 0; i < elementCount; i++) {
                elements.setSafe(i, i);
              }
            });
    ListViewVector views = (ListViewVector) batch.getVector(0);
    views.getDataVector().setValueCount(elementCount);
    for (int i = 0; i < count; i++) {
      setView(views, i, offsetsAndSizes[2 * i], offsetsAndSizes[2 * i + 1]);
    }
    return batch;
  }

  @Test
  void b119_listViewsGoodAndBad() {
    assertThat(harness.good(LIST, listViews(4, 2, 2, 0, 3, 4, 0)))
        .isEqualTo(List.of(List.of(2, 3), List.of(0, 1, 2), List.of()));
    assertThat(harness.bad(LIST, listViews(1, -1, 1, 0, Integer.MAX_VALUE, 0, -1, 0, 1)))
        .hasSize(3)
        .allMatch(verdict -> verdict.contains("malformed"));
  }

  private static void setView(ListViewVector vector, int index, int offset, int size) {
    vector.getOffsetBuffer().setInt(4L * index, offset);
    vector.getSizeBuffer().setInt(4L * index, size);
    org.apache.arrow.vector.BitVectorHelper.setBit(vector.getValidityBuffer(), index);
  }

  @Test
  void listsOfAFixedSizeBecomeLists() {
    VectorSchemaRoot batch =
        harness.<FixedSizeListVector>column(
            listField(new ArrowType.FixedSizeList(2)),
            3,
            vector -> {
              IntVector elements = (IntVector) vector.getDataVector();
              for (int i = 0; i < 6; i++) {
                elements.setSafe(i, i);
              }
              vector.setNotNull(0);
              vector.setNotNull(2);
            });
    assertThat(harness.good(LIST, batch))
        .isEqualTo(Arrays.asList(List.of(0, 1), null, List.of(4, 5)));
  }

  private static Field structField(boolean xNullable) {
    Field x = new Field("x", new FieldType(xNullable, INT, null), List.of());
    return Harness.field("v", ArrowType.Struct.INSTANCE, Harness.field("y", INT), x);
  }

  /// Rows {1, 10}, null over garbage {2, 20}, {null, 30}, {4, null}.
  private VectorSchemaRoot structs(boolean xNullable, int count) {
    return harness.<StructVector>column(
        structField(xNullable),
        count,
        vector -> {
          IntVector y = (IntVector) vector.getChildrenFromFields().get(0);
          IntVector x = (IntVector) vector.getChildrenFromFields().get(1);
          y.setSafe(0, 10);
          y.setSafe(1, 20);
          y.setSafe(2, 30);
          y.setNull(3);
          x.setSafe(0, 1);
          x.setNull(1);
          x.setNull(2);
          x.setSafe(3, 4);
          vector.setIndexDefined(0);
          vector.setNull(1);
          vector.setIndexDefined(2);
          vector.setIndexDefined(3);
        });
  }

  @Test
  void b131_nullStructWinsOverItsChildren() {
    assertThat(harness.good(STRUCT, structs(true, 2)))
        .isEqualTo(Arrays.asList(List.of(1, 10), null));
  }

  @Test
  void requiredFieldWithinAStructIsCheckedWhereTheStructIs() {
    assertThat(harness.bad(STRUCT, structs(true, 4))).containsExactly("2 not-null null");
  }

  @Test
  void b131_nullsInAFieldFlaggedNonNullAreRefused() {
    Type optional =
        Types.StructType.of(
            NestedField.optional(2, "x", Types.IntegerType.get()),
            NestedField.optional(3, "y", Types.IntegerType.get()));
    try (VectorSchemaRoot batch = structs(false, 4)) {
      ValidatedBatch result = harness.validate(Harness.column(optional), batch);
      assertThat(result.rows()).isNull();
      assertThat(result.verdicts()).hasSize(1);
      assertThat(result.verdicts().get(0).row()).isEqualTo(2);
      assertThat(result.verdicts().get(0).column()).isEqualTo("v.x");
      assertThat(result.verdicts().get(0).message()).contains("flags it non-null");
    }
  }

  @Test
  void fieldsOfAStructGoByNameAndMissingOnesAreNullOrTheirDefault() {
    Type wider =
        Types.StructType.of(
            NestedField.optional(4, "more", Types.StringType.get()),
            NestedField.optional("def")
                .withId(5)
                .ofType(Types.IntegerType.get())
                .withWriteDefault(org.apache.iceberg.expressions.Literal.of(7))
                .build(),
            NestedField.required(2, "x", Types.IntegerType.get()),
            NestedField.optional(3, "y", Types.IntegerType.get()));
    assertThat(harness.good(wider, structs(true, 2)))
        .isEqualTo(Arrays.asList(Arrays.asList(null, 7, 1, 10), null));
  }

  private VectorSchemaRoot maps(String... keysOfOneMap) {
    Field entries =
        new Field(
            "entries",
            new FieldType(false, ArrowType.Struct.INSTANCE, null),
            List.of(
                new Field("k", FieldType.notNullable(ArrowType.Utf8.INSTANCE), List.of()),
                Harness.field("val", INT)));
    return harness.<MapVector>column(
        Harness.field("v", new ArrowType.Map(false), entries),
        2,
        vector -> {
          StructVector struct = (StructVector) vector.getDataVector();
          VarCharVector keys = (VarCharVector) struct.getChildrenFromFields().get(0);
          IntVector values = (IntVector) struct.getChildrenFromFields().get(1);
          vector.startNewValue(0);
          for (int i = 0; i < keysOfOneMap.length; i++) {
            struct.setIndexDefined(i);
            if (keysOfOneMap[i] != null) {
              keys.setSafe(i, keysOfOneMap[i].getBytes(UTF_8));
            }
            values.setSafe(i, i);
          }
          vector.endValue(0, keysOfOneMap.length);
          struct.setValueCount(keysOfOneMap.length);
        });
  }

  @Test
  void b071_mapsRefuseNullAndRepeatedKeys() {
    assertThat(harness.good(MAP, maps("a", "b")))
        .isEqualTo(Arrays.asList(Map.of("a", 0, "b", 1), null));
    assertThat(harness.bad(MAP, maps("a", "b", "a"))).containsExactly("0 map-key 3 entries");
    assertThat(harness.bad(MAP, maps("a", null))).containsExactly("0 not-null null");
  }

  @Test
  void b130_typesWithoutAPlaceAreRefusedByName() {
    for (ArrowType type :
        List.of(
            new ArrowType.Duration(org.apache.arrow.vector.types.TimeUnit.SECOND),
            new ArrowType.Interval(org.apache.arrow.vector.types.IntervalUnit.MONTH_DAY_NANO),
            new ArrowType.Union(org.apache.arrow.vector.types.UnionMode.Sparse, new int[0]))) {
      assertThatThrownBy(
              () ->
                  RowPlan.of(
                      Harness.table(Harness.column(Types.LongType.get())),
                      StreamOptions.Op.UPSERT,
                      new org.apache.arrow.vector.types.pojo.Schema(
                          List.of(Harness.field("v", type))),
                      harness.dictionaries))
          .isInstanceOfSatisfying(
              IcewalException.class,
              e -> {
                assertThat(e.verdicts()).hasSize(1);
                assertThat(e.verdicts().get(0).row()).isEqualTo(-1);
                assertThat(e.verdicts().get(0).rule()).isEqualTo("type");
                assertThat(e.getMessage()).contains("'v'", type.toString(), "long");
              });
    }
  }

  @Test
  void verdictsOnElementsNameTheirRow() {
    Type required = Types.ListType.ofRequired(2, Types.IntegerType.get());
    VectorSchemaRoot batch = lists(4, 6, 0b1111, 0, 0, 3, 3, 6);
    ((IntVector) ((ListVector) batch.getVector(0)).getDataVector()).setNull(4);
    assertThat(harness.bad(required, batch)).containsExactly("3 not-null null");
  }

  @Test
  void requiredAndKeyColumnsRefuseNulls() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.required(2, "v", Types.LongType.get())),
            java.util.Set.of(1));
    FieldVector id = new BigIntVector("id", harness.in);
    FieldVector v = new BigIntVector("v", harness.in);
    ((BigIntVector) id).setSafe(1, 5);
    ((BigIntVector) v).setSafe(0, 5);
    id.setValueCount(2);
    v.setValueCount(2);
    try (VectorSchemaRoot batch = Harness.rows(2, v, id)) {
      ValidatedBatch result = harness.validate(schema, batch);
      assertThat(result.verdicts().stream().map(verdict -> verdict.row() + verdict.rule()))
          .containsExactly("0key-not-null", "1not-null");
      try (RowBatch none = result.rows()) {
        assertThat(none).isNull();
      }
    }
  }
}
