package io.icewal.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class PartitionRouterTest {
  static final List<Type> TYPES = RandomRows.PRIMITIVES;

  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void allocatorIsEmpty() {
    allocator.close();
  }

  @ParameterizedTest
  @FieldSource("TYPES")
  void everyTransformEqualsIcebergsOwn(Type type) {
    Schema schema = new Schema(NestedField.optional(1, "c", type));
    List<Record> records = new ArrayList<>(new RandomRows(5).records(schema, 600));
    records.add(GenericRecord.create(schema));
    for (String transform : transforms(type)) {
      check(schema, spec(schema, transform), records);
    }
  }

  private static Set<String> transforms(Type type) {
    Set<String> names = new TreeSet<>(Set.of("identity", "void"));
    switch (type.typeId()) {
      case INTEGER, LONG, DECIMAL, STRING, BINARY -> names.addAll(Set.of("bucket", "truncate"));
      case DATE -> names.addAll(Set.of("bucket", "year", "month", "day"));
      case TIMESTAMP, TIMESTAMP_NANO ->
          names.addAll(Set.of("bucket", "year", "month", "day", "hour"));
      case TIME, UUID, FIXED -> names.add("bucket");
      default -> {}
    }
    return names;
  }

  private static PartitionSpec spec(Schema schema, String transform) {
    PartitionSpec.Builder builder = PartitionSpec.builderFor(schema);
    return switch (transform) {
      case "identity" -> builder.identity("c").build();
      case "bucket" -> builder.bucket("c", 16).build();
      case "truncate" -> builder.truncate("c", 3).build();
      case "year" -> builder.year("c").build();
      case "month" -> builder.month("c").build();
      case "day" -> builder.day("c").build();
      case "hour" -> builder.hour("c").build();
      default -> builder.alwaysNull("c").build();
    };
  }

  private void check(Schema schema, PartitionSpec spec, List<Record> records) {
    Map<Object, List<Integer>> expected = new LinkedHashMap<>();
    InternalRecordWrapper wrapper = new InternalRecordWrapper(schema.asStruct());
    PartitionKey key = new PartitionKey(spec, schema);
    for (int row = 0; row < records.size(); row++) {
      key.partition(wrapper.wrap(records.get(row)));
      expected.computeIfAbsent(values(spec, key), k -> new ArrayList<>()).add(row);
    }
    Map<Object, List<Integer>> routed = new LinkedHashMap<>();
    try (VectorSchemaRoot rows = ArrowRecords.toArrow(schema, records, allocator)) {
      boolean isVoid = spec.fields().stream().anyMatch(field -> field.transform().isVoid());
      PartitionRouter router =
          isVoid ? PartitionRouter.ofRows(spec, schema) : PartitionRouter.ofKeys(spec, schema);
      for (PartitionRows part : router.route(rows)) {
        List<Integer> ofPart = java.util.Arrays.stream(part.rows()).boxed().toList();
        assertThat(routed.put(values(spec, part.partition()), ofPart)).isNull();
      }
    }
    assertThat(routed).as(spec.toString()).isEqualTo(expected);
    assertThat(List.copyOf(routed.keySet())).isEqualTo(List.copyOf(expected.keySet()));
  }

  private static List<@Nullable Object> values(PartitionSpec spec, StructLike partition) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < spec.fields().size(); i++) {
      Object value = partition.get(i, Object.class);
      values.add(ArrowRecords.plain(value instanceof CharSequence ? value.toString() : value));
    }
    return values;
  }

  @Test
  void severalFieldsMakeOnePartitionPerCombination() {
    Schema schema =
        new Schema(
            NestedField.optional(1, "a", Types.BooleanType.get()),
            NestedField.optional(2, "b", Types.StringType.get()),
            NestedField.optional(3, "c", Types.TimestampType.withZone()));
    PartitionSpec spec =
        PartitionSpec.builderFor(schema).identity("a").truncate("b", 1).year("c").build();

    check(schema, spec, new RandomRows(9).records(schema, 2000));
  }

  @Test
  void aSourceMayLieInNullableStructs() {
    Schema schema =
        new Schema(
            NestedField.optional(
                1,
                "s",
                Types.StructType.of(
                    NestedField.required(
                        2,
                        "t",
                        Types.StructType.of(
                            NestedField.optional(3, "c", Types.IntegerType.get()))))));
    PartitionSpec spec = PartitionSpec.builderFor(schema).bucket("s.t.c", 5).build();

    check(schema, spec, new RandomRows(10).records(schema, 500));
  }

  @Test
  void anUnpartitionedSpecPutsAllRowsInOneGroup() {
    Schema schema = new Schema(NestedField.optional(1, "c", Types.IntegerType.get()));

    check(schema, PartitionSpec.unpartitioned(), new RandomRows(1).records(schema, 20));
  }

  @Test
  void b073_instantsBefore1970AreFloored() {
    assertThat(route("hour", LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000)))
        .isEqualTo(-1);
    assertThat(route("hour", LocalDateTime.of(1969, 12, 31, 23, 0))).isEqualTo(-1);
    assertThat(route("day", LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000))).isEqualTo(-1);
    assertThat(route("month", LocalDateTime.of(1968, 2, 29, 0, 0))).isEqualTo(-23);
    assertThat(route("year", LocalDateTime.of(1969, 12, 31, 23, 0))).isEqualTo(-1);
    assertThat(route("hour", LocalDateTime.of(1970, 1, 1, 0, 0))).isEqualTo(0);
  }

  private @Nullable Object route(String transform, Object value) {
    Type type =
        value instanceof LocalDate ? Types.DateType.get() : Types.TimestampType.withoutZone();
    return routeOne(new Schema(NestedField.optional(1, "c", type)), transform, value);
  }

  private @Nullable Object routeOne(Schema schema, String transform, Object value) {
    Record record = GenericRecord.create(schema);
    record.set(0, value);
    try (VectorSchemaRoot rows = ArrowRecords.toArrow(schema, List.of(record), allocator)) {
      return PartitionRouter.ofRows(spec(schema, transform), schema)
          .route(rows)
          .get(0)
          .partition()
          .get(0, Object.class);
    }
  }

  @Test
  void b076_nanosecondsAreFlooredToMicrosecondsForBuckets() {
    Schema nanos = new Schema(NestedField.optional(1, "c", Types.TimestampNanoType.withoutZone()));
    LocalDateTime epoch = LocalDateTime.of(1970, 1, 1, 0, 0);

    assertThat(routeOne(nanos, "hour", epoch.minusNanos(1))).isEqualTo(-1);
    assertThat(routeOne(nanos, "bucket", epoch.minusNanos(1)))
        .isEqualTo(route("bucket", epoch.minusNanos(1000)));
    assertThat(routeOne(nanos, "bucket", epoch.plusNanos(1001)))
        .isEqualTo(route("bucket", epoch.plusNanos(1000)));
  }

  @Test
  void b074_rowsWhosePartitionDoesNotFitItsTypeAreRefused() {
    Type timestamp = Types.TimestampType.withoutZone();

    refuses(timestamp, "hour", vector -> ((TimeStampMicroVector) vector).set(0, Long.MAX_VALUE));
    refuses(timestamp, "hour", vector -> ((TimeStampMicroVector) vector).set(0, Long.MIN_VALUE));
    refuses(
        Types.IntegerType.get(),
        "truncate",
        vector -> ((IntVector) vector).set(0, Integer.MIN_VALUE));
    refuses(
        Types.LongType.get(), "truncate", vector -> ((BigIntVector) vector).set(0, Long.MIN_VALUE));
    refuses(
        Types.DecimalType.of(4, 2),
        "truncate",
        vector -> ((DecimalVector) vector).set(0, new BigDecimal("-99.99")));
    refuses(
        Types.DecimalType.of(38, 2),
        "truncate",
        vector -> ((DecimalVector) vector).set(0, new BigDecimal("-" + "9".repeat(36) + ".98")));
  }

  /// A key may be deleted wherever it lies, so keys go where Iceberg put their rows.
  private void refuses(Type type, String transform, Consumer<FieldVector> value) {
    Schema schema = new Schema(NestedField.optional(1, "c", type));
    PartitionSpec spec =
        transform.equals("truncate")
            ? PartitionSpec.builderFor(schema).truncate("c", 10).build()
            : spec(schema, transform);
    try (VectorSchemaRoot rows =
        ArrowRecords.toArrow(schema, List.of(GenericRecord.create(schema)), allocator)) {
      value.accept(rows.getVector(0));
      assertThatThrownBy(() -> PartitionRouter.ofRows(spec, schema).route(rows))
          .isInstanceOfSatisfying(
              IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID))
          .hasMessageContaining(transform)
          .hasMessageContaining("expected");
      assertThat(PartitionRouter.ofKeys(spec, schema).route(rows)).hasSize(1);
    }
  }

  @Test
  void keysAreRoutedByWhatTheyTellOfThePartition() {
    Schema schema =
        new Schema(
            NestedField.required(1, "cat", Types.StringType.get()),
            NestedField.required(2, "dt", Types.DateType.get()),
            NestedField.required(3, "id", Types.LongType.get()));
    PartitionSpec spec =
        PartitionSpec.builderFor(schema).identity("dt").bucket("id", 4).identity("cat").build();
    PartitionRouter router = PartitionRouter.ofKeys(spec, schema.select("cat"));
    PartitionData whole = new PartitionData(spec.partitionType());
    whole.set(0, 19_000);
    whole.set(1, 3);
    whole.set(2, "x");

    assertThat(router.partitionType().fields())
        .extracting(NestedField::name)
        .containsExactly("cat");
    assertThat(router.project(whole).get(0, Object.class)).isEqualTo("x");
  }

  @Test
  void b104_truncationOfNegativeNumbersRoundsDown() {
    Schema longs = new Schema(NestedField.optional(1, "c", Types.LongType.get()));
    Schema decimals = new Schema(NestedField.optional(1, "c", Types.DecimalType.of(9, 2)));
    Schema strings = new Schema(NestedField.optional(1, "c", Types.StringType.get()));

    assertThat(routeOne(longs, "truncate", -1L)).isEqualTo(-3L);
    assertThat(routeOne(longs, "truncate", -3L)).isEqualTo(-3L);
    assertThat(routeOne(decimals, "truncate", new BigDecimal("-0.01")))
        .isEqualTo(new BigDecimal("-0.03"));
    assertThat(routeOne(strings, "truncate", "a\uD83D\uDE00bc")).hasToString("a\uD83D\uDE00b");
  }

  @Test
  void b218_thousandsOfPartitionsComeOutOfOneBatch() {
    Schema schema = new Schema(NestedField.required(1, "c", Types.LongType.get()));
    try (VectorSchemaRoot rows =
        ArrowRecords.toArrow(schema, new RandomRows(1).records(schema, 1), allocator)) {
      BigIntVector vector = (BigIntVector) rows.getVector(0);
      for (int row = 0; row < 50_000; row++) {
        vector.setSafe(row, row % 5000);
      }
      rows.setRowCount(50_000);

      List<PartitionRows> routed =
          PartitionRouter.ofRows(spec(schema, "identity"), schema).route(rows);

      assertThat(routed).hasSize(5000);
      assertThat(routed).allSatisfy(part -> assertThat(part.rows()).hasSize(10));
    }
  }
}
