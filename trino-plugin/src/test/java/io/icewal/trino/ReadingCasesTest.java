package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.sql.ReadingCasesContract;
import io.trino.Session;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(TrinoServer.Shared.class)
class ReadingCasesTest extends ReadingCasesContract {
  private static final int ROWS = 200;

  private final TrinoServer trino;
  private final TestTables tables;

  ReadingCasesTest(TrinoServer trino) {
    super(trino);
    this.trino = trino;
    this.tables = trino.tables;
  }

  @Override
  protected String sampleOfAll() {
    return "BERNOULLI (100)";
  }

  /// Rows 1 to [#ROWS] in a file with the version 'a'.
  private void versioned(String table) {
    tables.create(table, KEYED);
    tables.upsert(table, versions(table, "a"));
    tables.materialize(table);
  }

  private List<Record> versions(String table, String version) {
    List<Record> rows = new ArrayList<>();
    for (long id = 1; id <= ROWS; id++) {
      rows.add(tables.row(table, id, version));
    }
    return rows;
  }

  @ParameterizedTest
  @ValueSource(strings = {"BROADCAST", "PARTITIONED"})
  void b199_joinsAnswerAsWithoutDynamicFilters(String distribution) {
    String table = "joined_" + distribution.toLowerCase(java.util.Locale.ROOT);
    versioned(table);
    tables.upsert(table, tables.row(table, 1L, "b"), tables.row(table, 500L, "c"));
    tables.delete(table, tables.row(table, 2L));
    trino.execute(
        "CREATE TABLE "
            + table
            + "_build AS SELECT * FROM (VALUES (1, 'b'), (2, 'c'), (3, 'a'), (500, 'x')) t(id, v)");

    for (String on : List.of("f.id = b.id", "f.v = b.v", "f.id = b.id AND f.v = b.v")) {
      String sql =
          "SELECT f.id, f.v, b.id, b.v FROM " + table + " f JOIN " + table + "_build b ON " + on;
      List<String> filtered = trino.rows(joins(distribution, "true"), sql);
      assertThat(filtered).as(on).isEqualTo(trino.rows(joins(distribution, "false"), sql));
      assertThat(filtered).as(on).isNotEmpty().noneMatch(row -> row.startsWith("2|"));
    }
    assertThat(
            trino.rows(
                joins(distribution, "true"),
                "SELECT f.v FROM " + table + " f JOIN " + table + "_build b ON f.id = b.id"))
        .containsExactly("a", "b", "c");
  }

  private Session joins(String distribution, String filters) {
    return Session.builder(trino.runner.getDefaultSession())
        .setSystemProperty("join_distribution_type", distribution)
        .setSystemProperty("join_reordering_strategy", "NONE")
        .setSystemProperty("enable_dynamic_filtering", filters)
        .build();
  }

  @Test
  void b203_metadataTablesAnswerAsPlainIceberg() {
    versioned("described_by_all");
    tables.upsert("described_by_all", tables.row("described_by_all", 1L, "b"));
    tables.delete("described_by_all", tables.row("described_by_all", 2L));
    tables.materialize("described_by_all");
    tables.upsert("described_by_all", tables.row("described_by_all", 3L, "in the log"));

    for (String kind :
        List.of(
            "files",
            "entries",
            "all_entries",
            "partitions",
            "snapshots",
            "history",
            "manifests",
            "all_manifests",
            "refs",
            "properties",
            "metadata_log_entries")) {
      String name = "s.\"described_by_all$" + kind + "\"";
      assertThat(trino.rows("SELECT * FROM icewal." + name))
          .as(kind)
          .isNotEmpty()
          .isEqualTo(trino.rows("SELECT * FROM stock." + name));
    }
  }

  @Test
  void b206_rowsOfAnInsertThatFailsLateAreNeverSeen() {
    versioned("half_inserted");

    assertThatThrownBy(
            () ->
                trino.execute(
                    "INSERT INTO half_inserted SELECT 1000 * a.x + b.x, CAST(1 / (1000 * a.x + b.x"
                        + " - 900000) AS varchar) FROM UNNEST(sequence(1, 999)) a(x),"
                        + " UNNEST(sequence(0, 999)) b(x)"))
        .hasMessageContaining("Division by zero");

    assertThat(trino.rows("SELECT count(*), max(id), min(v) FROM half_inserted"))
        .containsExactly(ROWS + "|" + ROWS + "|a");
  }

  @Test
  void b209_nullsForARequiredColumnAreRefused() {
    versioned("default_added");
    tables
        .load("default_added")
        .updateSchema()
        .addRequiredColumn("region", Types.StringType.get(), Literal.of("north"))
        .commit();

    assertThat(trino.rows("SELECT count(*), min(region), max(region) FROM default_added"))
        .containsExactly(ROWS + "|north|north");
    assertThatThrownBy(
            () ->
                trino.execute(
                    "INSERT INTO default_added (id, v, region) SELECT id, v, nullif(v, 'a') FROM"
                        + " default_added"))
        .hasMessageContaining("region");
    assertThat(trino.rows("SELECT count(*) FROM default_added WHERE region = 'north'"))
        .containsExactly(String.valueOf(ROWS));
  }

  @Test
  void b212_theLagOfReadersWithoutTheLogIsTold() {
    versioned("lagging");
    tables.upsert("lagging", versions("lagging", "b"));
    tables.upsert("lagging", tables.row("lagging", 900L, "b"));

    assertThat(trino.rows("SELECT rows, oldest <= current_timestamp FROM \"lagging$tail\""))
        .containsExactly(ROWS + 1 + "|true");
  }
}
