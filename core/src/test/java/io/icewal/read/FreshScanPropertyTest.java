package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.expression.Condition;
import io.icewal.model.RowOp;
import io.icewal.parquet.ArrowRecords;
import io.icewal.parquet.RandomRows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Random operations on random tables, read fresh in each of the four states (all in the log, half,
/// all materialized, materialized and more), against a map that holds what was acknowledged.
class FreshScanPropertyTest {
  private static final int BATCHES = 8;

  private static final List<Type> KEY_TYPES =
      List.of(
          Types.LongType.get(),
          Types.IntegerType.get(),
          Types.StringType.get(),
          Types.UUIDType.get(),
          Types.DecimalType.of(18, 4),
          Types.DateType.get(),
          Types.TimestampType.withZone(),
          Types.BinaryType.get(),
          Types.FixedType.ofLength(3),
          Types.BooleanType.get());

  @TempDir Path folder;

  /// What the table holds, by key; by arrival for a table without key.
  private final Map<List<String>, Record> oracle = new LinkedHashMap<>();

  private long arrivals;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void everyStateReadsWhatWasAcknowledged(long seed) {
    Random random = new Random(seed * 7919 + Long.getLong("icewal.seed", 0));
    RandomRows values = new RandomRows(random.nextLong());
    Schema schema = schema(random, values);
    for (int state = 0; state < 4; state++) {
      oracle.clear();
      arrivals = 0;
      long operations = seed * 31;
      try (FreshFixture fixture =
          new FreshFixture(folder.resolve("state" + state), 1 + random.nextInt(3))) {
        fixture.create(schema, spec(schema, random));
        run(fixture, new Random(operations), values, state, "seed " + seed + " state " + state);
      }
    }
  }

  private void run(
      FreshFixture fixture, Random random, RandomRows values, int state, String replay) {
    Schema schema = fixture.table().schema();
    List<Record> universe = values.records(schema, 30);
    for (int batch = 0; batch < BATCHES; batch++) {
      operation(fixture, random, schema, universe, values);
      boolean half = batch == BATCHES / 2;
      boolean last = batch == BATCHES - 1;
      if ((state == 1 && half) || (state == 2 && last) || (state == 3 && batch % 2 == 0)) {
        fixture.materialize();
      }
      if (random.nextInt(4) == 0) {
        fixture.appendOther();
        fixture.trim(random.nextInt(3) == 0);
      }
      if (half || last) {
        check(fixture, random, schema, replay + " batch " + batch);
      }
    }
  }

  private void operation(
      FreshFixture fixture,
      Random random,
      Schema schema,
      List<Record> universe,
      RandomRows values) {
    boolean keyed = !schema.identifierFieldIds().isEmpty();
    List<Record> rows = new ArrayList<>();
    List<Record> fresh = values.records(schema, random.nextInt(12) + 1);
    for (Record record : fresh) {
      Record row = record.copy();
      Record key = universe.get(random.nextInt(universe.size()));
      for (int id : schema.identifierFieldIds()) {
        String name = schema.findColumnName(id);
        row.setField(name, key.getField(name));
      }
      rows.add(row);
    }
    int kind = keyed ? random.nextInt(10) : random.nextInt(20) == 0 ? 9 : 0;
    if (kind == 9) {
      fixture.truncate();
      oracle.clear();
    } else if (kind > 6) {
      fixture.delete(rows);
      rows.forEach(row -> oracle.remove(key(schema, row)));
    } else if (kind > 4) {
      byte[] ops = new byte[rows.size()];
      for (int i = 0; i < ops.length; i++) {
        ops[i] = random.nextBoolean() ? RowOp.DELETE : RowOp.UPSERT;
        if (ops[i] == RowOp.DELETE) {
          oracle.remove(key(schema, rows.get(i)));
        } else {
          oracle.put(key(schema, rows.get(i)), rows.get(i));
        }
      }
      fixture.mixed(rows, ops);
    } else {
      fixture.upsert(rows);
      rows.forEach(row -> oracle.put(key(schema, row), row));
    }
  }

  private List<String> key(Schema schema, Record row) {
    if (schema.identifierFieldIds().isEmpty()) {
      return List.of(Long.toString(arrivals++));
    }
    List<String> key = new ArrayList<>();
    for (int id : schema.identifierFieldIds()) {
      Object value = row.getField(schema.findColumnName(id));
      key.add(
          value instanceof byte[] bytes ? Arrays.toString(bytes) : value.toString() + hex(value));
    }
    return key;
  }

  private static String hex(Object value) {
    return value instanceof java.nio.ByteBuffer buffer ? Arrays.toString(buffer.array()) : "";
  }

  private void check(FreshFixture fixture, Random random, Schema schema, String replay) {
    List<String> expected = text(fixture, schema, oracle.values(), null);
    assertThat(fixture.read(FreshFixture.all())).as(replay).isEqualTo(expected);
    assertThat(fixture.count(null)).as(replay).isEqualTo(oracle.size());
    for (NestedField column : schema.columns()) {
      if (oracle.isEmpty()
          || !column.type().isPrimitiveType()
          || column.type().typeId() == Type.TypeID.UNKNOWN) {
        continue;
      }
      String where =
          random.nextBoolean()
              ? column.name() + " is null"
              : "\"" + column.name() + "\" is not null and not (" + column.name() + " is null)";
      assertThat(fixture.read(where))
          .as(replay + " where " + where)
          .isEqualTo(text(fixture, schema, oracle.values(), Condition.parse(where, schema)));
    }
    checkKeys(fixture, random, schema, replay);
    EngineRead.check(fixture, random, expected, replay);
    long limit = random.nextInt(5);
    assertThat(fixture.read(FreshFixture.all().withLimit(limit)))
        .as(replay + " limit " + limit)
        .hasSize((int) Math.min(limit, oracle.size()));
  }

  /// Conditions over the key, which leave out keys before rows are read.
  private void checkKeys(FreshFixture fixture, Random random, Schema schema, String replay) {
    for (int id : schema.identifierFieldIds()) {
      if (oracle.isEmpty()) {
        return;
      }
      NestedField column = schema.findField(id);
      List<Record> rows = new ArrayList<>(oracle.values());
      String literal =
          literal(column, rows.get(random.nextInt(rows.size())).getField(column.name()));
      String op = List.of("=", "<>", "<", ">=").get(random.nextInt(4));
      String where = column.name() + " " + op + " " + literal + " and 1 = 1";
      assertThat(fixture.read(where))
          .as(replay + " where " + where)
          .isEqualTo(text(fixture, schema, rows, Condition.parse(where, schema)));
      assertThat(fixture.count(where))
          .as(replay + " count where " + where)
          .isEqualTo(text(fixture, schema, rows, Condition.parse(where, schema)).size());
    }
  }

  private static String literal(NestedField column, Object value) {
    return switch (column.type().typeId()) {
      case LONG, INTEGER, DECIMAL, BOOLEAN -> value.toString();
      case BINARY -> "X'" + HexFormat.of().formatHex(((java.nio.ByteBuffer) value).array()) + "'";
      case FIXED -> "X'" + HexFormat.of().formatHex((byte[]) value) + "'";
      default -> "'" + value.toString().replace("'", "''") + "'";
    };
  }

  private static List<String> text(
      FreshFixture fixture, Schema schema, Collection<Record> records, Condition condition) {
    try (VectorSchemaRoot root =
        ArrowRecords.toArrow(schema, new ArrayList<>(records), fixture.allocator)) {
      List<String> rows = RowText.rows(root);
      List<String> out = new ArrayList<>();
      if (condition == null) {
        out.addAll(rows);
      } else {
        Arrays.stream(condition.select(root)).mapToObj(rows::get).forEach(out::add);
      }
      out.sort(null);
      return out;
    }
  }

  private static Schema schema(Random random, RandomRows values) {
    List<NestedField> columns = new ArrayList<>(values.schema(4, 2).columns());
    int keys = random.nextInt(4);
    Set<Integer> identifiers = new java.util.HashSet<>();
    for (int i = 0; i < keys; i++) {
      int id = 900 + i;
      columns.add(
          random.nextInt(columns.size() + 1),
          NestedField.required(id, "k" + i, KEY_TYPES.get(random.nextInt(KEY_TYPES.size()))));
      identifiers.add(id);
    }
    return new Schema(columns, identifiers);
  }

  private static PartitionSpec spec(Schema schema, Random random) {
    PartitionSpec.Builder builder = PartitionSpec.builderFor(schema);
    if (random.nextInt(3) > 0) {
      return builder.build();
    }
    for (int id : schema.identifierFieldIds()) {
      Type type = schema.findType(id);
      if (type.typeId() != Type.TypeID.BOOLEAN) {
        return random.nextBoolean()
            ? builder.bucket(schema.findColumnName(id), 3).build()
            : builder.identity(schema.findColumnName(id)).build();
      }
    }
    return builder.build();
  }
}
