package io.icewal.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.IcewalException;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrowRowsTest {
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void allocatorIsEmpty() {
    allocator.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void gatheredRowsAreTheChosenOnesOfAllSources(long seed) {
    RandomRows randomRows = new RandomRows(seed);
    Schema schema = randomRows.schema(10, 4);
    List<List<Record>> records =
        List.of(
            randomRows.records(schema, 100),
            randomRows.records(schema, 1),
            randomRows.records(schema, 77));
    List<VectorSchemaRoot> sources =
        records.stream().map(r -> ArrowRecords.toArrow(schema, r, allocator)).toList();
    Random random = new Random(seed);
    int[] source = random.ints(300, 0, 3).toArray();
    int[] index = new int[source.length];
    List<Record> expected = new ArrayList<>();
    for (int i = 0; i < source.length; i++) {
      index[i] = random.nextInt(records.get(source[i]).size());
      if (i >= 3 && i < 290) {
        expected.add(records.get(source[i]).get(index[i]));
      }
    }

    try (VectorSchemaRoot gathered = ArrowRows.gather(sources, source, index, 3, 290, allocator)) {
      assertThat(gathered.getSchema()).isEqualTo(ArrowSchemas.toArrow(schema));
      assertThat(ArrowRecords.plain(ArrowRecords.toRecords(schema, gathered)))
          .isEqualTo(ArrowRecords.plain(expected));
    }
    sources.forEach(VectorSchemaRoot::close);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14})
  void concatenatedSlicesAreTheWhole(long seed) {
    RandomRows randomRows = new RandomRows(seed);
    Schema schema = randomRows.schema(8, 3);
    List<Record> records = randomRows.records(schema, 101);

    try (VectorSchemaRoot rows = ArrowRecords.toArrow(schema, records, allocator);
        VectorSchemaRoot first = ArrowRows.slice(rows, 0, 13, allocator);
        VectorSchemaRoot second = ArrowRows.slice(rows, 13, 101, allocator);
        VectorSchemaRoot whole = ArrowRows.concat(List.of(first, second), allocator);
        VectorSchemaRoot taken = ArrowRows.take(whole, allocator)) {
      assertThat(whole.getRowCount()).isZero();
      assertThat(ArrowRecords.plain(ArrowRecords.toRecords(schema, taken)))
          .isEqualTo(ArrowRecords.plain(records));
    }
  }

  private static Schema schemaBefore() {
    return new Schema(
        NestedField.optional(1, "i", Types.IntegerType.get()),
        NestedField.optional(2, "f", Types.FloatType.get()),
        NestedField.optional(3, "d", Types.DecimalType.of(9, 2)),
        NestedField.optional(4, "day", Types.DateType.get()),
        NestedField.optional(5, "dropped", Types.StringType.get()),
        NestedField.optional(
            6,
            "s",
            Types.StructType.of(
                NestedField.optional(7, "x", Types.IntegerType.get()),
                NestedField.optional(8, "y", Types.IntegerType.get()))));
  }

  private static Schema schemaAfter() {
    return new Schema(
        NestedField.optional(
            6,
            "renamed",
            Types.StructType.of(
                NestedField.optional(8, "yy", Types.LongType.get()),
                NestedField.optional(7, "x", Types.IntegerType.get()),
                NestedField.optional("added")
                    .withId(21)
                    .ofType(Types.StringType.get())
                    .withInitialDefault(Literal.of("new"))
                    .build())),
        NestedField.optional(4, "day", Types.TimestampType.withoutZone()),
        NestedField.optional(3, "d", Types.DecimalType.of(38, 2)),
        NestedField.optional(2, "f", Types.DoubleType.get()),
        NestedField.optional(1, "i", Types.LongType.get()),
        NestedField.optional("notSent")
            .withId(9)
            .ofType(Types.IntegerType.get())
            .withInitialDefault(Literal.of(3))
            .build(),
        NestedField.optional("later")
            .withId(22)
            .ofType(Types.IntegerType.get())
            .withInitialDefault(Literal.of(5))
            .build());
  }

  @Test
  void promotionKeepsValuesUnderTheirFieldIds() {
    Schema old = schemaBefore();
    Schema target = schemaAfter();
    Record record = GenericRecord.create(old);
    record.set(0, -7);
    record.set(1, 0.1f);
    record.set(2, new BigDecimal("-0.01"));
    record.set(3, LocalDate.of(1969, 12, 31));
    record.set(4, "gone");
    Record struct = GenericRecord.create(old.findType("s").asStructType());
    struct.set(0, 1);
    struct.set(1, 2);
    record.set(5, struct);
    Record nulls = GenericRecord.create(old);

    try (VectorSchemaRoot rows = ArrowRecords.toArrow(old, List.of(record, nulls), allocator);
        VectorSchemaRoot promoted = ArrowRows.promote(rows, old, 10, target, allocator)) {
      List<Record> read = ArrowRecords.toRecords(target, promoted);

      assertThat(promoted.getSchema()).isEqualTo(ArrowSchemas.toArrow(target));
      Record first = read.get(0);
      assertThat(((Record) first.get(0)).get(0)).isEqualTo(2L);
      assertThat(((Record) first.get(0)).get(1)).isEqualTo(1);
      assertThat(((Record) first.get(0)).get(2)).isEqualTo("new");
      assertThat(first.get(1)).isEqualTo(LocalDateTime.of(1969, 12, 31, 0, 0));
      assertThat(first.get(2)).isEqualTo(new BigDecimal("-0.01"));
      assertThat(first.get(3)).isEqualTo((double) 0.1f);
      assertThat(first.get(4)).isEqualTo(-7L);
      assertThat(first.get(5)).isNull();
      assertThat(first.get(6)).isEqualTo(5);
      assertThat(read.get(1).get(0)).isNull();
      assertThat(read.get(1).get(4)).isNull();
      assertThat(read.get(1).get(6)).isEqualTo(5);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23})
  void promotionToTheSameSchemaChangesNothing(long seed) {
    RandomRows randomRows = new RandomRows(seed);
    Schema schema = randomRows.schema(10, 4);
    List<Record> records = randomRows.records(schema, 50);

    try (VectorSchemaRoot rows = ArrowRecords.toArrow(schema, records, allocator)) {
      VectorSchemaRoot promoted = ArrowRows.promote(rows, schema, 1000, schema, allocator);
      assertThat(ArrowRecords.plain(ArrowRecords.toRecords(schema, promoted)))
          .isEqualTo(ArrowRecords.plain(records));
      promoted.close();
      assertThat(ArrowRecords.plain(ArrowRecords.toRecords(schema, rows)))
          .isEqualTo(ArrowRecords.plain(records));
    }
  }

  // A table that was replaced may have another type under an old field id, and rows of before may
  // still come.
  @Test
  void whatIsNoPromotionOfIcebergsIsRefusedAndNotReadAsSomethingElse() {
    List<Type> types =
        List.of(
            Types.BooleanType.get(),
            Types.IntegerType.get(),
            Types.LongType.get(),
            Types.FloatType.get(),
            Types.DoubleType.get(),
            Types.DateType.get(),
            Types.TimeType.get(),
            Types.TimestampType.withoutZone(),
            Types.TimestampType.withZone(),
            Types.TimestampNanoType.withoutZone(),
            Types.TimestampNanoType.withZone(),
            Types.StringType.get(),
            Types.BinaryType.get(),
            Types.FixedType.ofLength(8),
            Types.FixedType.ofLength(16),
            Types.UUIDType.get(),
            Types.DecimalType.of(10, 2),
            Types.DecimalType.of(12, 2),
            Types.DecimalType.of(12, 3),
            Types.StructType.of(NestedField.optional(4, "a", Types.IntegerType.get())),
            Types.ListType.ofOptional(5, Types.IntegerType.get()),
            Types.ListType.ofOptional(5, Types.UUIDType.get()),
            Types.ListType.ofOptional(5, Types.FixedType.ofLength(16)),
            Types.MapType.ofOptional(6, 7, Types.StringType.get(), Types.IntegerType.get()),
            Types.ListType.ofOptional(
                8, Types.StructType.of(NestedField.optional(9, "a", Types.LongType.get()))));
    for (Type before : types) {
      for (Type after : types) {
        Schema written = new Schema(NestedField.optional(1, "c", before));
        Schema now = new Schema(NestedField.optional(1, "c", after));
        try (VectorSchemaRoot rows = ArrowRecords.toArrow(written, List.of(), allocator)) {
          if (isPromotion(before, after)) {
            ArrowRows.promote(rows, written, 99, now, allocator).close();
          } else {
            assertThatThrownBy(() -> ArrowRows.promote(rows, written, 99, now, allocator))
                .as(before + " as " + after)
                .isInstanceOf(IcewalException.class);
          }
        }
      }
    }
  }

  private static boolean isPromotion(Type before, Type after) {
    boolean fromDate =
        before.typeId() == Type.TypeID.DATE
            && (after.equals(Types.TimestampType.withoutZone())
                || after.equals(Types.TimestampNanoType.withoutZone()));
    return before.equals(after)
        || fromDate
        || (after.isPrimitiveType()
            && TypeUtil.isPromotionAllowed(before, after.asPrimitiveType()));
  }

  @Test
  void aConstantIsInEveryRow() {
    NestedField field = NestedField.optional(1, "s", Types.StringType.get());
    try (FieldVector vector = ArrowRows.constant(field, "x", 3, allocator);
        FieldVector nulls = ArrowRows.constant(field, null, 3, allocator)) {
      assertThat(vector.getValueCount()).isEqualTo(3);
      assertThat(vector.getObject(2)).hasToString("x");
      assertThat(nulls.getNullCount()).isEqualTo(3);
    }
  }
}
