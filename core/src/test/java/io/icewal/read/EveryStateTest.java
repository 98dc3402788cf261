package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.table.TestWarehouse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The same rows read the same when all are in the log, half and half, all materialized, and after
/// a compaction (by another engine, of unpartitioned tables).
class EveryStateTest {
  private static final LocalDateTime EPOCH = LocalDateTime.of(1970, 1, 1, 0, 0);

  @TempDir Path folder;
  private FreshFixture fixture;

  @BeforeEach
  void open() {
    fixture = new FreshFixture(folder);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /// Case b011: without an ordering column, the one that arrives last wins, whichever step merges.
  @Test
  void b011_theLastToArriveWinsWhateverWasMaterializedWhen() {
    Schema schema =
        keyed(Types.LongType.get(), NestedField.optional(2, "ts", Types.LongType.get()));
    for (int materialized = 0; materialized <= 4; materialized++) {
      fixture.create(schema);
      long[] events = {2, 5, 1, 3};
      for (int i = 0; i < events.length; i++) {
        fixture.upsert(fixture.row(1L, events[i]));
        if (i < materialized) {
          fixture.materialize();
          fixture.compact();
        }
        assertThat(all()).containsExactly("1|" + events[i]);
      }
      fixture.warehouse.catalog().dropTable(TestWarehouse.name(), false);
    }
  }

  /// Case b013: order is that of the log, whatever the clocks of its writers say.
  @Test
  void b013_theLaterAcknowledgedRowWinsOverAClockThatIsAhead() {
    fixture.create(
        keyed(Types.LongType.get(), NestedField.optional(2, "v", Types.StringType.get())));
    Instant noon = Instant.parse("2026-01-01T12:00:00Z");
    for (int state = 0; state < 2; state++) {
      fixture.writeAt(noon.plus(Duration.ofMinutes(5)));
      fixture.upsert(fixture.row(1L, "a" + state));
      fixture.writeAt(noon.minus(Duration.ofMinutes(5)));
      fixture.upsert(fixture.row(1L, "b" + state));

      assertThat(all()).containsExactly("1|b" + state);
      fixture.materialize();
      assertThat(all()).containsExactly("1|b" + state);
      fixture.writeAt(noon.minus(Duration.ofHours(5)));
      fixture.upsert(fixture.row(1L, "c" + state));
      assertThat(all()).containsExactly("1|c" + state);
    }
  }

  /// Case b056: buckets by the spec's own vectors; a key is found in its bucket whatever is where.
  @Test
  void b056_bucketsOfUuidsAndDecimalsAreThoseOfTheSpec() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "u", Types.UUIDType.get()),
                NestedField.required(2, "d", Types.DecimalType.of(38, 4)),
                NestedField.required(3, "n", Types.DecimalType.of(9, 2)),
                NestedField.optional(4, "v", Types.StringType.get())),
            Set.of(1, 2, 3));
    fixture.create(
        schema,
        PartitionSpec.builderFor(schema).bucket("u", 16).bucket("d", 16).bucket("n", 16).build());
    UUID uuid = UUID.fromString("f79c3e09-677c-4bbd-a479-3f349cb785e7");
    List<Record> base = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      base.add(bucketed(uuid, i, "old"));
    }
    fixture.upsert(base);
    fixture.materialize();
    fixture.upsert(bucketed(uuid, 0, "new"), bucketed(uuid, 7, "new"));

    // The spec's hashes: 1488055340 of the UUID, -500754589 of 14.20; its buckets are (hash & max).
    assertThat(fixture.plan(FreshFixture.all().withWhere("n = 14.20")).files())
        .isNotEmpty()
        .allSatisfy(
            task -> {
              assertThat(task.scan().file().partition().get(0, Integer.class)).isEqualTo(12);
              assertThat(task.scan().file().partition().get(2, Integer.class)).isEqualTo(3);
            });
    for (int state = 0; state < 2; state++) {
      assertThat(fixture.count(null)).isEqualTo(20);
      assertThat(fixture.count("v = 'new'")).isEqualTo(2);
      assertThat(fixture.count("u = '" + uuid + "' and d = 0.0007")).isEqualTo(1);
      fixture.materialize();
    }
  }

  private Record bucketed(UUID uuid, int i, String v) {
    return fixture.row(uuid, BigDecimal.valueOf(i, 4), new BigDecimal("14.20"), v);
  }

  /// Case b058: equal numbers are equal whatever their scale.
  @Test
  void b058_decimalsAreFoundByAnyFormOfTheirNumber() {
    fixture.create(
        keyed(
            Types.LongType.get(),
            NestedField.optional(2, "three", Types.DecimalType.of(10, 3)),
            NestedField.optional(3, "two", Types.DecimalType.of(10, 2))));
    fixture.upsert(fixture.row(1L, new BigDecimal("10.230"), new BigDecimal("100.00")));

    for (int state = 0; state < 3; state++) {
      for (String where :
          List.of("three = 10.23", "three = 10.230", "three = 10.2300", "three in (10.23)")) {
        assertThat(fixture.read(where)).as(where).containsExactly("1|10.230|100.00");
      }
      for (String where : List.of("two = 1E+2", "two = 100", "two = 100.000", "two >= 1e2")) {
        assertThat(fixture.read(where)).as(where).containsExactly("1|10.230|100.00");
      }
      assertThat(fixture.read("three = 10.2301 or two = 100.001")).isEmpty();
      next(state);
    }
    assertThat(plain(Expressions.equal("three", new BigDecimal("10.230")))).hasSize(1);
    assertThat(plain(Expressions.equal("two", new BigDecimal("100.00")))).hasSize(1);
  }

  /// Case b059: negative decimals of every width of storage.
  @Test
  void b059_negativeDecimalsKeepTheirValueAndOrder() {
    int[][] types = {{9, 2}, {18, 2}, {38, 10}};
    NestedField[] columns = new NestedField[types.length];
    for (int i = 0; i < types.length; i++) {
      columns[i] =
          NestedField.optional(i + 2, "d" + i, Types.DecimalType.of(types[i][0], types[i][1]));
    }
    fixture.create(keyed(Types.LongType.get(), columns));
    BigDecimal[] smallest = new BigDecimal[types.length];
    for (int i = 0; i < types.length; i++) {
      smallest[i] = new BigDecimal("-" + "9".repeat(types[i][0])).movePointLeft(types[i][1]);
    }
    fixture.upsert(decimals(1, types, "-0.01"), decimals(2, types, "-1"));
    fixture.upsert(fixture.row(3L, smallest[0], smallest[1], smallest[2]));
    fixture.upsert(decimals(4, types, "0"), decimals(5, types, "0.01"));

    for (int state = 0; state < 3; state++) {
      for (int i = 0; i < types.length; i++) {
        assertThat(ids("d" + i + " < 0")).containsExactly("1", "2", "3");
        assertThat(ids("d" + i + " >= -1")).containsExactly("1", "2", "4", "5");
        assertThat(ids("d" + i + " = " + smallest[i].toPlainString())).containsExactly("3");
      }
      assertThat(fixture.read("id = 3"))
          .containsExactly("3|" + smallest[0] + "|" + smallest[1] + "|" + smallest[2]);
      next(state);
    }
    assertThat(plain(Expressions.lessThan("d2", BigDecimal.ZERO.setScale(10)))).hasSize(3);
  }

  private Record decimals(long id, int[][] types, String value) {
    BigDecimal number = new BigDecimal(value);
    return fixture.row(
        id,
        number.setScale(types[0][1]),
        number.setScale(types[1][1]),
        number.setScale(types[2][1]));
  }

  /// Case b065: keys are their bytes, not the array or the place in a buffer that holds them.
  @Test
  void b065_equalBytesAreOneKeyAcrossBatchesStatesAndRestarts() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "b", Types.BinaryType.get()),
                NestedField.required(2, "f", Types.FixedType.ofLength(16)),
                NestedField.optional(3, "v", Types.StringType.get())),
            Set.of(1, 2));
    fixture.create(schema);
    for (int round = 0; round < 4; round++) {
      fixture.upsert(bytes(0xff, "other" + round), bytes(0x80, "v" + round));
      fixture.upsert(bytes(0x80, "w" + round));
      assertThat(fixture.count(null)).isEqualTo(2);
      if (round % 2 == 1) {
        fixture.materialize();
      }
      fixture.restart();
      assertThat(fixture.count(null)).isEqualTo(2);
      assertThat(fixture.read("v = 'w" + round + "'")).hasSize(1);
      assertThat(fixture.count("v like 'v%'")).isZero();
    }
    fixture.compact();
    fixture.upsert(bytes(0x80, "last"));
    assertThat(fixture.count(null)).isEqualTo(2);
  }

  private Record bytes(int first, String v) {
    byte[] fixed = new byte[16];
    fixed[15] = (byte) first;
    return fixture.row(ByteBuffer.wrap(new byte[] {0, (byte) first, 0}), fixed, v);
  }

  /// Case b067: a struct that is null is another value than a struct of nulls.
  @Test
  void b067_aNullStructIsNoStructOfNulls() {
    Schema schema =
        keyed(
            Types.LongType.get(),
            NestedField.optional(
                2,
                "s",
                Types.StructType.of(
                    NestedField.optional(3, "x", Types.IntegerType.get()),
                    NestedField.optional(4, "y", Types.StringType.get()))));
    fixture.create(schema);
    Record nulls = GenericRecord.create(schema.findType("s").asStructType());
    fixture.upsert(fixture.row(1L, null), fixture.row(2L, nulls));

    for (int state = 0; state < 3; state++) {
      assertThat(ids("s is null")).containsExactly("1");
      assertThat(ids("s is not null")).containsExactly("2");
      assertThat(ids("s.x is null and s.y is null")).containsExactly("1", "2");
      next(state);
    }
    assertThat(plain(Expressions.alwaysTrue()))
        .extracting(record -> record.getField("s") == null)
        .containsExactlyInAnyOrder(true, false);
  }

  /// Case b077: partitions of instants in their own unit, and conditions beyond what they can hold.
  @Test
  void b077_identityPartitionsOfNanosecondsAreExactAndFarConditionsFindNothing() {
    Schema schema =
        keyed(
            Types.LongType.get(),
            NestedField.required(2, "n", Types.TimestampNanoType.withoutZone()),
            NestedField.required(3, "t", Types.TimestampType.withoutZone()));
    fixture.create(schema, PartitionSpec.builderFor(schema).identity("n").identity("t").build());
    fixture.upsert(
        fixture.row(1L, EPOCH.minusNanos(1), EPOCH.minusNanos(1000)),
        fixture.row(2L, EPOCH.plusNanos(1001), EPOCH.plusNanos(1000)));

    for (int state = 0; state < 2; state++) {
      assertThat(ids("n = '1969-12-31 23:59:59.999999999'")).containsExactly("1");
      assertThat(ids("n > '1970-01-01 00:00:00.000001'")).containsExactly("2");
      assertThat(ids("t = '1969-12-31 23:59:59.999999'")).containsExactly("1");
      for (String far : List.of("1500-01-01", "2300-01-01", "9999-12-31")) {
        assertThat(ids("n = '" + far + "'")).isEmpty();
        boolean past = far.startsWith("1");
        assertThat(ids("n > '" + far + "'")).hasSize(past ? 2 : 0);
        assertThat(ids("n < '" + far + "'")).hasSize(past ? 0 : 2);
        assertThat(ids("t < '" + far + "'")).hasSize(past ? 0 : 2);
      }
      fixture.materialize();
    }
    assertThat(fixture.plan(FreshFixture.all()).files())
        .extracting(task -> task.scan().file().partition().get(0, Long.class))
        .containsExactlyInAnyOrder(-1L, 1001L);
  }

  /// From all in the log to all materialized to compacted.
  private void next(int state) {
    if (state == 0) {
      fixture.materialize();
    } else {
      fixture.compact();
    }
  }

  private static Schema keyed(Type key, NestedField... others) {
    List<NestedField> columns = new ArrayList<>(List.of(others));
    columns.add(0, NestedField.required(1, "id", key));
    return new Schema(columns, Set.of(1));
  }

  private List<String> all() {
    return fixture.read(FreshFixture.all());
  }

  private List<String> ids(String where) {
    return fixture.read(FreshFixture.all().withColumns(List.of("id")).withWhere(where));
  }

  private List<Record> plain(Expression filter) {
    List<Record> found = new ArrayList<>();
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(fixture.table()).where(filter).build()) {
      records.forEach(found::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }
}
