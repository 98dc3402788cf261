package io.icewal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.TestTables;
import io.icewal.parquet.RandomRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Rows of the tail have the values that the engine's own Iceberg reads once they are in files.
public abstract class TailTypesContract {
  private final SqlEngine engine;
  private final TestTables tables;
  private final List<Type> primitives;

  /// @param primitives the types that the engine's own Iceberg reads
  protected TailTypesContract(SqlEngine engine, List<Type> primitives) {
    this.engine = engine;
    this.tables = engine.tables();
    this.primitives = primitives;
  }

  @Test
  void everyPrimitiveTypeReadsFromTheTailAsFromFiles() {
    List<NestedField> columns = new ArrayList<>();
    columns.add(NestedField.required(1, "id", Types.LongType.get()));
    for (Type type : primitives) {
      int id = columns.size() + 1;
      columns.add(NestedField.optional(id, "c" + id, type));
    }
    check("primitives", new Schema(columns, Set.of(1)), new RandomRows(5), 60);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void nestedTypesReadFromTheTailAsFromFiles(long seed) {
    long own = seed + Long.getLong("icewal.seed", 0);
    RandomRows values = new RandomRows(own, primitives);
    List<NestedField> columns = new ArrayList<>(values.schema(5, 3).columns());
    columns.add(NestedField.required(900, "id", Types.LongType.get()));
    check("nested" + seed, new Schema(columns, Set.of(900)), values, 40);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void keysOfEveryTypeHideTheirRows(long seed) {
    Random random = new Random(seed + Long.getLong("icewal.seed", 0));
    RandomRows values = new RandomRows(random.nextLong());
    List<Type> types =
        new ArrayList<>(primitives.stream().filter(TailTypesContract::canBeKey).toList());
    java.util.Collections.shuffle(types, random);
    List<NestedField> columns = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      columns.add(NestedField.required(i + 1, "k" + i, types.get(i)));
    }
    Set<Integer> key =
        columns.stream().map(NestedField::fieldId).collect(java.util.stream.Collectors.toSet());
    columns.add(NestedField.optional(90, "v", Types.StringType.get()));
    String table = "keys" + seed;
    tables.create(table, new Schema(columns, key));
    Schema schema = tables.load(table).schema();
    List<Record> base = values.records(schema, 30);
    tables.upsert(table, base);
    tables.materialize(table);
    List<Record> newer = new ArrayList<>(values.records(schema, 5));
    for (int i = 0; i < 8; i++) {
      Record row = base.get(random.nextInt(base.size())).copy();
      row.setField("v", "newer");
      newer.add(row);
    }
    tables.upsert(table, newer);
    tables.delete(table, base.subList(0, 3));

    List<String> fresh = engine.rows("SELECT * FROM " + table);
    tables.materialize(table);
    assertThat(fresh)
        .as("seed " + seed)
        .isEqualTo(engine.rows("SELECT * FROM stock.s." + table))
        .anyMatch(row -> row.endsWith("newer"));
  }

  private static boolean canBeKey(Type type) {
    return type.typeId() != Type.TypeID.FLOAT && type.typeId() != Type.TypeID.DOUBLE;
  }

  private void check(String table, Schema schema, RandomRows values, int count) {
    tables.create(table, schema);
    List<Record> rows = values.records(tables.load(table).schema(), count);
    for (int i = 0; i < count; i++) {
      rows.get(i).setField("id", (long) i);
    }
    tables.upsert(table, rows);

    List<String> fresh = engine.rows("SELECT * FROM " + table);
    assertThat(fresh).hasSize(count);
    tables.materialize(table);
    assertThat(fresh).isEqualTo(engine.rows("SELECT * FROM stock.s." + table));
  }
}
