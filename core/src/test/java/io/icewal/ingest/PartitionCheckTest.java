package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.RowBatch;
import io.icewal.model.RowOp;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// b074: a row that its table has no partition for gets a verdict.
class PartitionCheckTest {
  private static final ArrowType LONG = new ArrowType.Int(64, true);
  private static final ArrowType MICROS = new ArrowType.Timestamp(TimeUnit.MICROSECOND, null);

  /// In the year 246953 the hours since 1970 are no int any more.
  private static final long LAST_HOUR = 2_147_483_648L * 3_600_000_000L - 1;

  private static final long FIRST_HOUR = -2_147_483_648L * 3_600_000_000L;

  private final Harness harness = new Harness();

  @AfterEach
  void nothingIsLeftOpen() {
    harness.close();
  }

  @Test
  void b074_hoursBeyondAnIntAreRefusedByRow() {
    Type type = Types.TimestampType.withoutZone();

    assertThat(bad(type, "hour", MICROS, longs(0, LAST_HOUR, LAST_HOUR + 1, Long.MAX_VALUE)))
        .containsExactly("2 partition " + (LAST_HOUR + 1), "3 partition " + Long.MAX_VALUE);
    assertThat(bad(type, "hour", MICROS, longs(FIRST_HOUR, FIRST_HOUR - 1)))
        .containsExactly("1 partition " + (FIRST_HOUR - 1));
    for (String transform : List.of("day", "month", "year", "bucket", "identity")) {
      assertThat(bad(type, transform, MICROS, longs(Long.MIN_VALUE, Long.MAX_VALUE))).isEmpty();
    }
  }

  @Test
  void hoursOfNanosecondsAlwaysFit() {
    ArrowType nanos = new ArrowType.Timestamp(TimeUnit.NANOSECOND, "UTC");

    assertThat(
            bad(
                Types.TimestampNanoType.withZone(),
                "hour",
                nanos,
                longs(Long.MIN_VALUE, Long.MAX_VALUE)))
        .isEmpty();
  }

  /// Below the lowest multiple of ten, Iceberg's truncation wraps around to the largest numbers.
  @Test
  void numbersWithoutAMultipleBelowThemAreRefused() {
    Consumer<IntVector> ints =
        vector -> {
          vector.setSafe(0, Integer.MIN_VALUE);
          vector.setSafe(1, -2_147_483_640);
          vector.setSafe(2, Integer.MAX_VALUE);
        };

    assertThat(bad(Types.IntegerType.get(), "truncate", new ArrowType.Int(32, true), 3, ints))
        .containsExactly("0 partition -2147483648");
    assertThat(
            bad(
                Types.LongType.get(),
                "truncate",
                LONG,
                longs(Long.MIN_VALUE, -9_223_372_036_854_775_800L, Long.MAX_VALUE)))
        .containsExactly("0 partition -9223372036854775808");
  }

  /// -99.99 would be truncated to -100.00, which no decimal(4,2) is: Iceberg fails to commit it.
  @Test
  void decimalsWhoseTruncationIsTooWideAreRefused() {
    Consumer<DecimalVector> narrow =
        vector -> {
          vector.setSafe(0, new BigDecimal("-99.99"));
          vector.setSafe(1, new BigDecimal("-99.90"));
          vector.setSafe(2, new BigDecimal("99.99"));
        };
    BigDecimal widest = new BigDecimal("-9999999999999999999999999999999999.9999");
    Consumer<DecimalVector> wide =
        vector -> {
          vector.setSafe(0, widest);
          vector.setSafe(1, widest.add(new BigDecimal("0.0009")));
          vector.setSafe(2, widest.negate());
        };

    assertThat(
            bad(
                Types.DecimalType.of(4, 2),
                "truncate",
                new ArrowType.Decimal(4, 2, 128),
                3,
                narrow))
        .containsExactly("0 partition -99.99");
    assertThat(
            bad(
                Types.DecimalType.of(38, 4),
                "truncate",
                new ArrowType.Decimal(38, 4, 128),
                3,
                wide))
        .containsExactly("0 partition " + widest);
  }

  @Test
  void theVerdictNamesTransformColumnAndRange() {
    Schema schema = Harness.column(Types.TimestampType.withoutZone());
    try (VectorSchemaRoot batch = column(MICROS, 1, longs(Long.MAX_VALUE))) {
      ValidatedBatch result =
          harness.validate(
              Harness.table(schema, PartitionSpec.builderFor(schema).hour("v").build()),
              StreamOptions.Op.UPSERT,
              StreamOptions.Mode.REJECT,
              batch);

      assertThat(result.verdicts().get(0).column()).isEqualTo("v");
      assertThat(result.verdicts().get(0).message())
          .isEqualTo(
              "value cannot be partitioned by hour(v); expected "
                  + FIRST_HOUR
                  + " to "
                  + LAST_HOUR);
    }
  }

  @Test
  void goodRowsOfABatchInPartialModeStay() {
    Schema schema = Harness.column(Types.TimestampType.withoutZone());
    try (VectorSchemaRoot batch = column(MICROS, 3, longs(1, Long.MAX_VALUE, 3))) {
      ValidatedBatch result =
          harness.validate(
              Harness.table(schema, PartitionSpec.builderFor(schema).hour("v").build()),
              StreamOptions.Op.UPSERT,
              StreamOptions.Mode.PARTIAL,
              batch);

      assertThat(result.verdicts()).hasSize(1);
      try (RowBatch rows = result.rows()) {
        assertThat(rows.rows().getRowCount()).isEqualTo(2);
      }
    }
  }

  /// What deletes is not written to any partition: whatever came into the table can be deleted.
  @Test
  void rowsThatDeleteAreNotAskedForAPartition() {
    Schema schema =
        new Schema(List.of(NestedField.required(1, "v", Types.LongType.get())), Set.of(1));
    IngestTable table =
        Harness.table(schema, PartitionSpec.builderFor(schema).truncate("v", 10).build());
    try (VectorSchemaRoot batch = column(LONG, 2, longs(Long.MIN_VALUE, 5));
        RowBatch deleted =
            harness
                .validate(table, StreamOptions.Op.DELETE, StreamOptions.Mode.REJECT, batch)
                .rows()) {
      assertThat(deleted.rows().getRowCount()).isEqualTo(2);
    }
    assertThat(mixed(table, RowOp.DELETE, RowOp.UPSERT)).isEmpty();
    assertThat(mixed(table, RowOp.UPSERT, RowOp.DELETE)).containsExactly(0L);
  }

  private List<Long> mixed(IngestTable table, byte... ops) {
    FieldVector values = (FieldVector) new BigIntVector("v", harness.in);
    longs(Long.MIN_VALUE, 5).accept((BigIntVector) values);
    values.setValueCount(2);
    TinyIntVector op = new TinyIntVector(RowOp.COLUMN, harness.in);
    for (int i = 0; i < ops.length; i++) {
      op.setSafe(i, ops[i]);
    }
    op.setValueCount(2);
    try (VectorSchemaRoot batch = Harness.rows(2, values, op)) {
      ValidatedBatch result =
          harness.validate(table, StreamOptions.Op.COLUMN, StreamOptions.Mode.REJECT, batch);
      if (result.rows() != null) {
        result.rows().close();
      }
      return result.verdicts().stream().map(verdict -> verdict.row()).toList();
    }
  }

  @Test
  void aSourceWithinAStructIsChecked() {
    Schema schema =
        new Schema(
            NestedField.optional(
                1, "s", Types.StructType.of(NestedField.optional(2, "n", Types.LongType.get()))));
    IngestTable table =
        Harness.table(schema, PartitionSpec.builderFor(schema).truncate("s.n", 10).build());
    Field field = Harness.field("s", new ArrowType.Struct(), Harness.field("n", LONG));
    try (VectorSchemaRoot batch =
        harness.<StructVector>column(
            field,
            2,
            struct -> {
              BigIntVector n = (BigIntVector) struct.getChild("n");
              n.setSafe(0, Long.MIN_VALUE);
              n.setSafe(1, Long.MIN_VALUE);
              struct.setIndexDefined(1);
            })) {
      ValidatedBatch result =
          harness.validate(table, StreamOptions.Op.UPSERT, StreamOptions.Mode.REJECT, batch);

      assertThat(result.verdicts()).singleElement().satisfies(v -> assertThat(v.row()).isOne());
      assertThat(result.verdicts().get(0).column()).isEqualTo("s.n");
    }
  }

  private List<String> bad(
      Type type, String transform, ArrowType arrow, Consumer<FieldVector> values) {
    return bad(type, transform, arrow, -1, values);
  }

  private <V extends FieldVector> List<String> bad(
      Type type, String transform, ArrowType arrow, int count, Consumer<V> values) {
    Schema schema = Harness.column(type);
    PartitionSpec.Builder builder = PartitionSpec.builderFor(schema);
    PartitionSpec spec =
        switch (transform) {
          case "hour" -> builder.hour("v").build();
          case "day" -> builder.day("v").build();
          case "month" -> builder.month("v").build();
          case "year" -> builder.year("v").build();
          case "bucket" -> builder.bucket("v", 16).build();
          case "truncate" -> builder.truncate("v", 10).build();
          default -> builder.identity("v").build();
        };
    try (VectorSchemaRoot batch = column(arrow, count, values)) {
      ValidatedBatch result =
          harness.validate(
              Harness.table(schema, spec),
              StreamOptions.Op.UPSERT,
              StreamOptions.Mode.REJECT,
              batch);
      if (result.rows() != null) {
        result.rows().close();
      }
      return result.verdicts().stream()
          .map(v -> v.row() + " " + v.rule() + " " + v.value())
          .toList();
    }
  }

  /// @param count -1 for as many as the filler sets
  private <V extends FieldVector> VectorSchemaRoot column(
      ArrowType type, int count, Consumer<V> values) {
    FieldVector vector = Harness.field("v", type).createVector(harness.in);
    vector.allocateNew();
    @SuppressWarnings("unchecked")
    V typed = (V) vector;
    values.accept(typed);
    int rows = count < 0 ? vector.getValueCount() : count;
    vector.setValueCount(rows);
    return Harness.rows(rows, vector);
  }

  private static Consumer<FieldVector> longs(long... values) {
    return vector -> {
      for (int i = 0; i < values.length; i++) {
        if (vector instanceof TimeStampVector instants) {
          instants.setSafe(i, values[i]);
        } else {
          ((BigIntVector) vector).setSafe(i, values[i]);
        }
      }
      vector.setValueCount(values.length);
    };
  }
}
