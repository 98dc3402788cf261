package io.icewal.sql;

import io.icewal.sql.OracleTable.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;

/// A condition in SQL and as a function of a row, with SQL's third truth value as null.
record OracleCondition(String sql, Function<List<Object>, Boolean> truth) {
  private static final List<String> COMPARISONS = List.of("=", "<>", "<", "<=", ">", ">=");

  boolean holds(List<Object> row) {
    return Boolean.TRUE.equals(truth.apply(row));
  }

  static OracleCondition random(OracleTable table, Random random) {
    return random(table, random, 2);
  }

  private static OracleCondition random(OracleTable table, Random random, int depth) {
    int kind = random.nextInt(depth == 0 ? 6 : 9);
    return switch (kind) {
      case 0, 1, 2 -> compared(table, random);
      case 3 -> among(table, random);
      case 4 -> between(table, random);
      case 5 -> missing(table, random);
      case 6 -> and(random(table, random, depth - 1), random(table, random, depth - 1), false);
      case 7 -> and(random(table, random, depth - 1), random(table, random, depth - 1), true);
      default -> not(random(table, random, depth - 1));
    };
  }

  /// One that is in the table more often than not.
  private static Object value(OracleTable table, Path path, Random random) {
    if (!table.rows().isEmpty() && random.nextInt(4) > 0) {
      Object value = path.of(table.rows().get(random.nextInt(table.rows().size())));
      if (value != null) {
        return value;
      }
    }
    return path.type().value(random);
  }

  private static OracleCondition compared(OracleTable table, Random random) {
    Path path = table.comparable(random);
    Object value = value(table, path, random);
    String comparison = COMPARISONS.get(random.nextInt(COMPARISONS.size()));
    return new OracleCondition(
        path.sql() + " " + comparison + " " + table.literal(path, value),
        row -> {
          Object left = path.of(row);
          return left == null ? null : compare(comparison, order(left, value));
        });
  }

  private static boolean compare(String comparison, int order) {
    return switch (comparison) {
      case "=" -> order == 0;
      case "<>" -> order != 0;
      case "<" -> order < 0;
      case "<=" -> order <= 0;
      case ">" -> order > 0;
      default -> order >= 0;
    };
  }

  @SuppressWarnings("unchecked")
  static int order(Object left, Object right) {
    return ((Comparable<Object>) left).compareTo(right);
  }

  private static OracleCondition among(OracleTable table, Random random) {
    Path path = table.comparable(random);
    List<Object> values = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(5); i++) {
      values.add(value(table, path, random));
    }
    return new OracleCondition(
        path.sql()
            + " IN ("
            + values.stream()
                .map(value -> table.literal(path, value))
                .collect(Collectors.joining(", "))
            + ")",
        row -> {
          Object left = path.of(row);
          return left == null ? null : values.stream().anyMatch(value -> order(left, value) == 0);
        });
  }

  private static OracleCondition between(OracleTable table, Random random) {
    Path path = table.comparable(random);
    Object low = value(table, path, random);
    Object high = value(table, path, random);
    return new OracleCondition(
        path.sql() + " BETWEEN " + table.literal(path, low) + " AND " + table.literal(path, high),
        row -> {
          Object left = path.of(row);
          return left == null ? null : order(left, low) >= 0 && order(left, high) <= 0;
        });
  }

  private static OracleCondition missing(OracleTable table, Random random) {
    List<Path> paths = table.paths();
    Path path = paths.get(random.nextInt(paths.size()));
    boolean isNull = random.nextBoolean();
    return new OracleCondition(
        path.sql() + (isNull ? " IS NULL" : " IS NOT NULL"),
        row -> (path.of(row) == null) == isNull);
  }

  /// @param negated for OR: neither of the opposites
  private static OracleCondition and(OracleCondition a, OracleCondition b, boolean negated) {
    return new OracleCondition(
        "(" + a.sql + (negated ? " OR " : " AND ") + b.sql + ")",
        row -> {
          Boolean left = a.truth.apply(row);
          Boolean right = b.truth.apply(row);
          Boolean decisive = negated;
          if (decisive.equals(left) || decisive.equals(right)) {
            return decisive;
          }
          return left == null || right == null ? null : !decisive;
        });
  }

  private static OracleCondition not(OracleCondition a) {
    return new OracleCondition(
        "NOT " + a.sql,
        row -> {
          Boolean truth = a.truth.apply(row);
          return truth == null ? null : !truth;
        });
  }
}
