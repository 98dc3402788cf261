package io.icewal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;

/// Queries see the snapshot and the tail as one, whatever the engine optimizes.
public abstract class FreshReadContract extends ReadContract {
  /// As [#KEYED], with a column that can be the partition.
  public static final Schema PARTITIONED =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.required(2, "part", Types.StringType.get()),
              NestedField.optional(3, "v", Types.LongType.get())),
          Set.of(1, 2));

  protected FreshReadContract(SqlEngine engine) {
    super(engine);
  }

  @Test
  void halfMaterializedTablesReadTheSame() {
    change("half");
    List<String> before = engine.rows("SELECT * FROM half");
    tables.materialize("half");
    List<String> materialized = engine.rows("SELECT * FROM half");
    tables.upsert("half", tables.row("half", 1L, "c1"), tables.row("half", 4L, "back"));

    assertThat(materialized).isEqualTo(before);
    assertThat(engine.rows("SELECT * FROM half WHERE id IN (1, 4, 6)"))
        .containsExactly("1|c1", "4|back", "6|a6");
    assertThat(engine.rows("SELECT count(*) FROM half")).containsExactly("13");
    tables.trim();
    assertThat(engine.rows("SELECT count(*) FROM half")).containsExactly("13");
  }

  @Test
  void oneQuerySeesOneCut() {
    change("twice");

    assertThat(
            engine.rows(
                "SELECT (SELECT count(*) FROM twice), count(*) FROM twice a JOIN twice b ON"
                    + " a.id = b.id"))
        .containsExactly("12|12");
    assertThat(engine.rows("SELECT id FROM twice EXCEPT SELECT id FROM twice")).isEmpty();
  }

  @Test
  void tableWithoutFilesReadsItsTail() {
    tables.create("young", KEYED);
    tables.upsert("young", tables.row("young", 1L, "x"), tables.row("young", 2L, null));

    assertThat(engine.rows("SELECT * FROM young WHERE id = 1")).containsExactly("1|x");
    assertThat(
            engine.rows(
                "SELECT * FROM young y JOIN "
                    + engine.values(List.of("2"), "t", "x")
                    + " ON y.id = t.x"))
        .containsExactly("2|null|2");
    assertThat(engine.rows("SELECT count(*) FROM young WHERE v IS NULL")).containsExactly("1");
  }

  @Test
  void truncationHidesEverythingBefore() {
    tables.create("emptied", KEYED);
    base("emptied", 10);
    tables.upsert("emptied", tables.row("emptied", 11L, "x"));
    tables.truncate("emptied");
    assertThat(engine.rows("SELECT * FROM emptied")).isEmpty();
    tables.upsert("emptied", tables.row("emptied", 3L, "new"));

    assertThat(engine.rows("SELECT * FROM emptied")).containsExactly("3|new");
    assertThat(engine.rows("SELECT count(*) FROM emptied")).containsExactly("1");
  }

  @Test
  void tableWithoutKeyKeepsEveryRow() {
    Schema schema = new Schema(NestedField.optional(1, "n", Types.IntegerType.get()));
    tables.create("events", schema);
    tables.upsert("events", tables.row("events", 1), tables.row("events", 1));
    tables.materialize("events");
    tables.upsert("events", tables.row("events", 1), tables.row("events", 2));

    assertThat(engine.rows("SELECT n, count(*) FROM events GROUP BY n"))
        .containsExactly("1|3", "2|1");
  }

  @Test
  void partitionPredicatesChooseRowsOfTheTail() {
    tables.create(
        "parts", PARTITIONED, PartitionSpec.builderFor(PARTITIONED).identity("part").build());
    tables.upsert("parts", tables.row("parts", 1L, "a", 1L), tables.row("parts", 2L, "b", 2L));
    tables.materialize("parts");
    tables.upsert(
        "parts",
        tables.row("parts", 1L, "a", 10L),
        tables.row("parts", 3L, "c", 3L),
        tables.row("parts", 4L, "b", 4L));

    assertThat(engine.rows("SELECT id, v FROM parts WHERE part = 'a'")).containsExactly("1|10");
    assertThat(engine.rows("SELECT id FROM parts WHERE part = 'b'")).containsExactly("2", "4");
    assertThat(engine.rows("SELECT count(*) FROM parts WHERE part IN ('c', 'd')"))
        .containsExactly("1");
    assertThat(engine.rows("SELECT part, sum(v) FROM parts GROUP BY part"))
        .containsExactly("a|10", "b|6", "c|3");
  }

  @Test
  void bucketsAreNotPlannedWithoutTheTail() {
    tables.create("buckets", KEYED, PartitionSpec.builderFor(KEYED).bucket("id", 4).build());
    base("buckets", 10);
    tables.upsert("buckets", tables.row("buckets", 3L, "n"), tables.row("buckets", 33L, "n"));

    assertThat(engine.rows("SELECT id, count(*) FROM buckets GROUP BY id")).hasSize(11);
    assertThat(engine.rows("SELECT a.id FROM buckets a JOIN buckets b ON a.id = b.id")).hasSize(11);
    assertThat(engine.rows("SELECT v FROM buckets WHERE id = 33")).containsExactly("n");
  }

  @Test
  void fieldsOfStructsAreReadFromTheTail() {
    Types.StructType place =
        Types.StructType.of(
            NestedField.optional(3, "name", Types.StringType.get()),
            NestedField.optional(
                4,
                "at",
                Types.StructType.of(NestedField.optional(5, "x", Types.IntegerType.get()))));
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, "place", place)),
            Set.of(1));
    tables.create("nested", schema);
    Record at = GenericRecord.create(place.field("at").type().asStructType());
    at.set(0, 7);
    Record full = GenericRecord.create(place);
    full.set(0, "home");
    full.set(1, at);
    Record half = GenericRecord.create(place);
    half.set(0, "away");
    tables.upsert("nested", tables.row("nested", 1L, full));
    tables.materialize("nested");
    tables.upsert(
        "nested",
        tables.row("nested", 2L, full),
        tables.row("nested", 3L, half),
        tables.row("nested", 4L, null));

    assertThat(engine.rows("SELECT id, place.at.x FROM nested"))
        .containsExactly("1|7", "2|7", "3|null", "4|null");
    assertThat(engine.rows("SELECT id FROM nested WHERE place.at.x = 7")).containsExactly("1", "2");
    assertThat(engine.rows("SELECT id, place.name FROM nested WHERE place.at IS NULL"))
        .containsExactly("3|away", "4|null");
    assertThat(engine.rows("SELECT place FROM nested WHERE id < 3"))
        .containsExactly("[home, [7]]", "[home, [7]]");
  }

  @Test
  void parkedBlocksAreRead() {
    tables.create("parked", KEYED);
    base("parked", 3);
    tables.upsert("parked", tables.row("parked", 2L, "b"), tables.row("parked", 9L, "b"));
    tables.trim("parked");
    tables.upsert("parked", tables.row("parked", 9L, "c"));

    assertThat(engine.rows("SELECT * FROM parked")).containsExactly("1|a1", "2|b", "3|a3", "9|c");
  }

  @Test
  void existingDeletesStayDeleted() {
    tables.create("deleted", KEYED);
    base("deleted", 10);
    tables.delete("deleted", tables.row("deleted", 2L), tables.row("deleted", 3L));
    tables.materialize("deleted");
    tables.delete("deleted", tables.row("deleted", 4L));
    tables.upsert("deleted", tables.row("deleted", 5L, "new"));

    assertThat(engine.rows("SELECT id FROM deleted"))
        .containsExactly("1", "10", "5", "6", "7", "8", "9");
    assertThat(engine.rows("SELECT v FROM deleted WHERE id = 5")).containsExactly("new");
  }

  @Test
  void keyColumnsThatWereRenamedHideTheirRows() {
    change("rekeyed");
    tables.load("rekeyed").updateSchema().renameColumn("id", "number").commit();

    assertThat(engine.rows("SELECT number, v FROM rekeyed WHERE number < 7"))
        .containsExactly("1|b1", "2|b2", "3|b3", "6|a6");
    assertThat(engine.rows("SELECT count(*), count(DISTINCT number) FROM rekeyed"))
        .containsExactly("12|12");
    assertThat(engine.rows("SELECT v FROM rekeyed WHERE v > 'b12'"))
        .containsExactly("b13", "b14", "b2", "b3");
  }

  /// What a query returned, in order, and how many rows its scans read.
  public record Answer(List<String> rows, long read) {}

  protected abstract Answer answer(String sql);

  @Test
  void rowsOfTheTailAreChosenByTheirKey() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "k", Types.StringType.get()),
                NestedField.required(2, "n", Types.IntegerType.get()),
                NestedField.optional(3, "v", Types.LongType.get())),
            Set.of(1, 2));
    tables.create("chosen_keys", schema);
    for (int i = 0; i < 30; i++) {
      tables.upsert("chosen_keys", tables.row("chosen_keys", "k" + i / 10, i % 10, (long) i));
    }
    tables.delete("chosen_keys", tables.row("chosen_keys", "k1", 5));

    assertChosen("k = 'k1' AND n = 4", 1, "14");
    assertChosen("k = 'k1' AND n = 5", 0);
    assertChosen("k = 'k1' AND n > 7", 3, "18", "19");
    assertChosen("k > 'k0' AND k < 'k2' AND n IN (1, 3)", 22, "11", "13");
    assertChosen("k IN ('k2', 'k3') AND n BETWEEN 2 AND 3", 8, "22", "23");
    assertChosen("k = 'nowhere'", 0);
    assertChosen("k = 'k1' AND k = 'k2'", 29);
    assertChosen("n = 4", 29, "14", "24", "4");
    assertChosen("v = 14", 29, "14");
    assertChosen("k = 'k0' OR v = 14", 29, "0", "1", "14", "2", "3", "4", "5", "6", "7", "8", "9");
  }

  /// @param read how many rows the scan may read for it at most
  private void assertChosen(String condition, int read, String... values) {
    Answer answer = answer("SELECT v FROM chosen_keys WHERE " + condition);
    assertThat(answer.rows()).as(condition).containsExactlyInAnyOrder(values);
    assertThat(answer.read()).as(condition).isLessThanOrEqualTo(read);
  }
}
