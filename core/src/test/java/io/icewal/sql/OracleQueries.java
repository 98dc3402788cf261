package io.icewal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.sql.OracleTable.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Queries at random whose answers the oracle knows.
final class OracleQueries {
  /// @param expected the rows as text, in any order
  private record Query(String sql, List<String> expected) {}

  private final OracleRun run;
  private final Random random;

  OracleQueries(OracleRun run) {
    this.run = run;
    this.random = run.random;
  }

  /// The whole table, and one more query.
  void check(OracleTable table) {
    check(whole(table, table.name));
    switch (random.nextInt(9)) {
      case 0, 1 -> check(projection(table));
      case 2 -> check(aggregates(table));
      case 3 -> check(groups(table));
      case 4 -> check(selfJoin(table));
      case 5 -> check(dynamicFilter(table));
      case 6 -> check(semiJoin(table));
      case 7 -> check(topRows(table));
      default -> checkLimit(table);
    }
  }

  /// The snapshot alone, as stock Iceberg reads it.
  void checkMaterialized(OracleTable table) {
    check(whole(table, run.engine.stock(table.name)));
  }

  private void check(Query query) {
    List<String> expected = new ArrayList<>(query.expected());
    expected.sort(null);
    assertThat(run.engine.rows(query.sql())).as(query.sql()).isEqualTo(expected);
  }

  private static String textOf(Object... values) {
    return SqlText.row(Arrays.asList(values));
  }

  private static Query whole(OracleTable table, String from) {
    return new Query("SELECT * FROM " + from, table.rows().stream().map(SqlText::row).toList());
  }

  private OracleCondition condition(OracleTable table) {
    return OracleCondition.random(table, random);
  }

  private Query projection(OracleTable table) {
    List<Path> paths = table.paths();
    List<Path> chosen =
        IntStream.range(0, 1 + random.nextInt(3))
            .mapToObj(i -> paths.get(random.nextInt(paths.size())))
            .toList();
    OracleCondition condition = condition(table);
    return new Query(
        "SELECT "
            + chosen.stream().map(Path::sql).collect(Collectors.joining(", "))
            + " FROM "
            + table.name
            + " WHERE "
            + condition.sql(),
        table.where(condition::holds).stream()
            .map(row -> textOf(chosen.stream().map(path -> path.of(row)).toArray()))
            .toList());
  }

  private Query aggregates(OracleTable table) {
    Path path = table.comparable(random);
    boolean all = random.nextInt(3) == 0;
    OracleCondition condition = all ? new OracleCondition("true", row -> true) : condition(table);
    List<List<Object>> rows = table.where(condition::holds);
    List<Object> values = rows.stream().map(path::of).filter(Objects::nonNull).toList();
    String p = path.sql();
    return new Query(
        "SELECT count(*), count(%s), min(%s), max(%s), count(DISTINCT %s) FROM %s WHERE %s"
            .formatted(p, p, p, p, table.name, condition.sql()),
        List.of(
            textOf(
                rows.size(),
                values.size(),
                values.stream().min(OracleCondition::order).orElse(null),
                values.stream().max(OracleCondition::order).orElse(null),
                values.stream().distinct().count())));
  }

  private Query groups(OracleTable table) {
    Path by = table.comparable(random);
    Path path = table.comparable(random);
    Map<Object, List<List<Object>>> groups = new LinkedHashMap<>();
    table
        .rows()
        .forEach(row -> groups.computeIfAbsent(by.of(row), key -> new ArrayList<>()).add(row));
    return new Query(
        "SELECT %s, count(*), max(%s) FROM %s GROUP BY %s"
            .formatted(by.sql(), path.sql(), table.name, by.sql()),
        groups.entrySet().stream()
            .map(
                group ->
                    textOf(
                        group.getKey(),
                        group.getValue().size(),
                        group.getValue().stream()
                            .map(path::of)
                            .filter(Objects::nonNull)
                            .max(OracleCondition::order)
                            .orElse(null)))
            .toList());
  }

  private Query selfJoin(OracleTable table) {
    Path on = table.comparable(random);
    Path left = table.comparable(random);
    Path right = table.comparable(random);
    OracleCondition condition = condition(table);
    List<String> expected = new ArrayList<>();
    for (List<Object> a : table.where(condition::holds)) {
      for (List<Object> b : table.rows()) {
        if (on.of(a) != null && on.of(a).equals(on.of(b))) {
          expected.add(textOf(left.of(a), right.of(b)));
        }
      }
    }
    return new Query(
        "SELECT a.%s, b.%s FROM (SELECT * FROM %s WHERE %s) a JOIN %s b ON a.%s = b.%s"
            .formatted(
                left.sql(),
                right.sql(),
                table.name,
                condition.sql(),
                table.name,
                on.sql(),
                on.sql()),
        expected);
  }

  private Query dynamicFilter(OracleTable table) {
    Path path = table.comparable(random);
    Set<Object> values = new LinkedHashSet<>();
    for (int i = 0; i < 3; i++) {
      boolean known = !table.rows().isEmpty() && random.nextInt(3) > 0;
      Object value = known ? path.of(table.rows().get(random.nextInt(table.rows().size()))) : null;
      values.add(value == null ? path.type().value(random) : value);
    }
    return new Query(
        "SELECT t.* FROM %s t JOIN %s ON t.%s = x.v"
            .formatted(
                table.name,
                run.engine.values(
                    values.stream().map(value -> table.literal(path, value)).toList(), "x", "v"),
                path.sql()),
        table.where(row -> values.contains(path.of(row))).stream().map(SqlText::row).toList());
  }

  private Query semiJoin(OracleTable table) {
    Path path = table.comparable(random);
    OracleCondition condition = condition(table);
    Set<Object> values =
        table.where(condition::holds).stream()
            .map(path::of)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    return new Query(
        "SELECT * FROM %s WHERE %s IN (SELECT %s FROM %s WHERE %s)"
            .formatted(table.name, path.sql(), path.sql(), table.name, condition.sql()),
        table.where(row -> path.of(row) != null && values.contains(path.of(row))).stream()
            .map(SqlText::row)
            .toList());
  }

  private Query topRows(OracleTable table) {
    Path path = table.comparable(random);
    int limit = random.nextInt(6);
    Comparator<Object> order = OracleCondition::order;
    return new Query(
        "SELECT %s FROM %s WHERE %s IS NOT NULL ORDER BY %s DESC LIMIT %d"
            .formatted(path.sql(), table.name, path.sql(), path.sql(), limit),
        table.rows().stream()
            .map(path::of)
            .filter(Objects::nonNull)
            .sorted(order.reversed())
            .limit(limit)
            .map(OracleQueries::textOf)
            .toList());
  }

  /// Any rows will do, as many as there can be.
  private void checkLimit(OracleTable table) {
    OracleCondition condition = condition(table);
    int limit = random.nextInt(20);
    String sql = "SELECT * FROM %s WHERE %s LIMIT %d".formatted(table.name, condition.sql(), limit);
    List<String> left =
        table.where(condition::holds).stream()
            .map(SqlText::row)
            .collect(Collectors.toCollection(ArrayList::new));
    List<String> rows = run.engine.rows(sql);

    assertThat(rows).as(sql).hasSize(Math.min(limit, left.size()));
    assertThat(rows).as(sql).allMatch(left::remove);
  }
}
