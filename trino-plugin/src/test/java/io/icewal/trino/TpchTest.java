package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.Resources;
import io.trino.Session;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.testing.MaterializedRow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The 22 queries of TPC-H give what trino-iceberg gives for the same rows in files alone.
///
/// By tenths of each table's keys: 0 to 4 are in files; 5 to 7 are in files with wrong values,
/// which the log replaces (by an insert, by a deletion and an insert, by a merge); 8 and 9 are in
/// the log only, 9 in two versions. The files also have rows that the log deletes.
@ExtendWith(TrinoServer.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TpchTest {
  private static final Map<String, List<String>> KEYS =
      Map.of(
          "region", List.of("r_regionkey"),
          "nation", List.of("n_nationkey"),
          "supplier", List.of("s_suppkey"),
          "customer", List.of("c_custkey"),
          "part", List.of("p_partkey"),
          "partsupp", List.of("ps_partkey", "ps_suppkey"),
          "orders", List.of("o_orderkey"),
          "lineitem", List.of("l_orderkey", "l_linenumber"));

  private final TrinoServer trino;

  TpchTest(TrinoServer trino) {
    this.trino = trino;
  }

  @BeforeAll
  void fill() {
    trino.runner.installPlugin(new TpchPlugin());
    // Sums of decimals do not depend on the order of the rows.
    trino.runner.createCatalog(
        "tpch",
        "tpch",
        Map.of("tpch.column-naming", "STANDARD", "tpch.double-type-mapping", "DECIMAL"));
    trino.execute("CREATE SCHEMA icewal.tpch");
    trino.execute("CREATE SCHEMA stock.tpch_files");
    KEYS.forEach(this::fill);
  }

  private void fill(String name, List<String> key) {
    Columns columns = columns(name, key);
    String table = "icewal.tpch." + name;
    trino.execute("CREATE TABLE stock.tpch_files." + name + " AS SELECT * FROM tpch.tiny." + name);
    trino.execute(
        ("CREATE TABLE %s WITH (primary_key = ARRAY[%s], partitioning = ARRAY['bucket(%s, 3)']) AS"
                + " %s UNION ALL %s UNION ALL %s")
            .formatted(
                table,
                key.stream().map("'%s'"::formatted).collect(Collectors.joining(", ")),
                key.get(0),
                columns.select(Columns::right, 0, 4),
                columns.select(Columns::wrong, 5, 7),
                columns.select(Columns::ofNoKey, 0, 0)));

    trino.execute("DELETE FROM " + table + " WHERE " + key.get(0) + " < 0");
    trino.execute("DELETE FROM " + table + " WHERE " + columns.tenth() + " = 6");
    trino.execute("INSERT INTO " + table + " " + columns.select(Columns::wrong, 9, 9));
    trino.execute("INSERT INTO " + table + " " + columns.select(Columns::right, 5, 6));
    trino.execute("INSERT INTO " + table + " " + columns.select(Columns::right, 8, 9));
    trino.execute(
        "MERGE INTO %s t USING (%s) s ON %s WHEN MATCHED THEN UPDATE SET %s"
            .formatted(
                table,
                columns.select(Columns::right, 7, 7),
                key.stream()
                    .map(column -> "t." + column + " = s." + column)
                    .collect(Collectors.joining(" AND ")),
                columns.types().keySet().stream()
                    .filter(column -> !key.contains(column))
                    .map(column -> column + " = s." + column)
                    .collect(Collectors.joining(", "))));
  }

  private Columns columns(String name, List<String> key) {
    Map<String, String> types = new LinkedHashMap<>();
    for (MaterializedRow row :
        trino.runner.execute("SHOW COLUMNS FROM tpch.tiny." + name).getMaterializedRows()) {
      types.put((String) row.getField(0), (String) row.getField(1));
    }
    return new Columns(name, key, types);
  }

  /// A table of TPC-H, and how its rows are selected.
  private record Columns(String name, List<String> key, Map<String, String> types) {
    String tenth() {
      return "mod(" + String.join(" + 3 * ", key) + ", 10)";
    }

    String select(Function<Columns, String> columns, int first, int last) {
      return "SELECT %s FROM tpch.tiny.%s WHERE %s BETWEEN %d AND %d"
          .formatted(columns.apply(this), name, tenth(), first, last);
    }

    String right() {
      return String.join(", ", types.keySet());
    }

    String ofNoKey() {
      return types.keySet().stream()
          .map(column -> key.contains(column) ? "-1 - " + column : column)
          .collect(Collectors.joining(", "));
    }

    String wrong() {
      return types.keySet().stream()
          .map(column -> key.contains(column) ? column : wrong(column))
          .collect(Collectors.joining(", "));
    }

    private String wrong(String column) {
      String type = types.get(column);
      String value =
          type.startsWith("varchar")
              ? "'x' || substr(" + column + ", 2)"
              : type.equals("date") ? column + " + INTERVAL '1' YEAR" : column + " + 1";
      return "CAST(" + value + " AS " + type + ") " + column;
    }
  }

  @Test
  void filesAndLogTogetherAreTheTable() {
    for (String name : KEYS.keySet()) {
      String difference =
          ("SELECT (SELECT count(*) FROM (TABLE %1$s EXCEPT TABLE %2$s)),"
                  + " (SELECT count(*) FROM (TABLE %2$s EXCEPT TABLE %1$s)),"
                  + " (SELECT count(*) FROM %1$s) - (SELECT count(*) FROM %2$s)")
              .formatted("icewal.tpch." + name, "stock.tpch_files." + name);

      assertThat(trino.rows(difference)).as(name).containsExactly("0|0|0");
      assertThat(trino.rows(trino.with("fresh", "false"), difference))
          .as("files of %s alone", name)
          .doesNotContain("0|0|0");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 9, 13, 21, 22})
  void answersAreThoseOfFilesAlone(int query) throws IOException {
    String sql =
        Resources.toString(
            Resources.getResource("tpch/q%02d.sql".formatted(query)), StandardCharsets.UTF_8);

    assertThat(rows("icewal", "tpch", sql)).isEqualTo(rows("stock", "tpch_files", sql));
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 5, 6, 7, 8, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20})
  void answersOfTheOtherQueriesToo(int query) throws IOException {
    answersAreThoseOfFilesAlone(query);
  }

  private List<String> rows(String catalog, String schema, String sql) {
    Session session =
        Session.builder(trino.runner.getDefaultSession())
            .setCatalog(catalog)
            .setSchema(schema)
            .build();
    return trino.rows(session, sql);
  }
}
