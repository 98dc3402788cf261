package io.icewal.expression;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.InclusiveMetricsEvaluator;
import org.apache.iceberg.expressions.Projections;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.util.UnicodeUtil;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Random conditions over random rows of every type, against an evaluator that takes one row at a
/// time and shares no code with the product.
class ConditionPropertyTest {
  private static final int ROUNDS = 1500;
  private static final String[] OPS = {"=", "<>", "!=", "<", "<=", ">", ">="};

  /// A condition as text and as a function of a row; null is unknown.
  private record Case(String sql, Function<Map<Integer, Object>, @Nullable Boolean> eval) {}

  private static final List<NestedField> FIELDS =
      ExpressionRows.SCHEMA.columns().stream()
          .filter(field -> field.type().isPrimitiveType())
          .toList();

  @Test
  void conditionsSelectWhatTheRowWiseEvaluatorSelectsAndPruningNeverDropsIt() {
    long seed = Long.getLong("icewal.seed", 20261129L);
    SplittableRandom seeds = new SplittableRandom(seed);
    try (BufferAllocator allocator = new RootAllocator()) {
      for (int round = 0; round < ROUNDS; round++) {
        long roundSeed = seeds.nextLong();
        round(new SplittableRandom(roundSeed), allocator, "-Dicewal.seed=" + seed + " " + round);
      }
      assertThat(allocator.getAllocatedMemory()).isZero();
    }
  }

  private static void round(RandomGenerator random, BufferAllocator allocator, String replay) {
    List<Map<Integer, Object>> rows = new ArrayList<>();
    for (int i = random.nextInt(1, 30); i > 0; i--) {
      rows.add(row(random));
    }
    Case test = condition(random, 3);
    Condition condition = Condition.parse(test.sql(), ExpressionRows.SCHEMA);
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      if (Boolean.TRUE.equals(test.eval().apply(rows.get(i)))) {
        expected.add(i);
      }
    }
    try (VectorSchemaRoot root = ExpressionRows.toArrow(rows, allocator)) {
      int[] selected = condition.select(root);
      assertThat(selected)
          .as(replay + ": " + test.sql())
          .containsExactly(expected.stream().mapToInt(i -> i).toArray());
    }
    checkPruning(condition.pruning(), rows, expected, replay + ": " + test.sql());
  }

  private static void checkPruning(
      Expression pruning, List<Map<Integer, Object>> rows, List<Integer> expected, String what) {
    for (int groups = 0; groups <= 3 && !expected.isEmpty(); groups++) {
      assertThat(
              new InclusiveMetricsEvaluator(ExpressionRows.SCHEMA, pruning, true)
                  .eval(file(rows, groups)))
          .as("metrics of " + what + " by " + pruning + " over row groups: " + groups)
          .isTrue();
    }
    PartitionSpec.Builder builder = PartitionSpec.builderFor(ExpressionRows.SCHEMA);
    FIELDS.forEach(field -> builder.identity(field.name(), "p" + field.fieldId()));
    PartitionSpec spec = builder.build();
    Expression projected = Projections.inclusive(spec).project(pruning);
    for (int index : expected) {
      PartitionData partition = new PartitionData(spec.partitionType());
      for (int i = 0; i < FIELDS.size(); i++) {
        partition.set(i, rows.get(index).get(FIELDS.get(i).fieldId()));
      }
      assertThat(new Evaluator(spec.partitionType(), projected).eval(partition))
          .as("partition " + partition + " of " + what + " by " + pruning)
          .isTrue();
    }
  }

  /// @param groups row groups whose bounds of unsigned bytes are merged, as Iceberg 1.11 merges
  ///   them; 0 for bounds in Iceberg's own order
  @SuppressWarnings("unchecked")
  private static DataFile file(List<Map<Integer, Object>> rows, int groups) {
    Map<Integer, Long> counts = new HashMap<>();
    Map<Integer, Long> nulls = new HashMap<>();
    Map<Integer, Long> nans = new HashMap<>();
    Map<Integer, ByteBuffer> lower = new HashMap<>();
    Map<Integer, ByteBuffer> upper = new HashMap<>();
    List<NestedField> fields = new ArrayList<>(FIELDS);
    fields.add(ExpressionRows.SCHEMA.findField("st.x"));
    fields.add(ExpressionRows.SCHEMA.findField("st.in.z"));
    for (NestedField field : fields) {
      int id = field.fieldId();
      List<Object> all = rows.stream().map(row -> row.get(id)).toList();
      List<Object> present = all.stream().filter(value -> value != null && !isNan(value)).toList();
      counts.put(id, (long) all.size());
      nulls.put(id, all.stream().filter(value -> value == null).count());
      nans.put(id, all.stream().filter(value -> value != null && isNan(value)).count());
      if (!present.isEmpty()) {
        Comparator<Object> order = Comparators.forType(field.type().asPrimitiveType());
        Comparator<Object> inGroup =
            groups > 0 && field.type().typeId() == Type.TypeID.UUID
                ? ConditionPropertyTest::order
                : order;
        lower.put(id, bound(field.type(), lowest(present, inGroup, order, groups), true));
        upper.put(
            id,
            bound(
                field.type(),
                lowest(present, inGroup.reversed(), order.reversed(), groups),
                false));
      }
    }
    Metrics metrics = new Metrics((long) rows.size(), null, counts, nulls, nans, lower, upper);
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath("file:/x.parquet")
        .withFileSizeInBytes(1)
        .withMetrics(metrics)
        .build();
  }

  /// The lowest of the lowest of each row group, which may have another order each: b055.
  private static Object lowest(
      List<Object> values, Comparator<Object> inGroup, Comparator<Object> order, int groups) {
    List<Object> ofGroups = new ArrayList<>();
    int rows = Math.max(1, values.size() / Math.max(1, groups));
    for (int from = 0; from < values.size(); from += rows) {
      List<Object> group = values.subList(from, Math.min(values.size(), from + rows));
      ofGroups.add(group.stream().min(inGroup).get());
    }
    return ofGroups.stream().min(order).get();
  }

  private static ByteBuffer bound(Type type, Object value, boolean isLower) {
    Object cut = value;
    if (value instanceof String text && text.length() > 16) {
      cut =
          isLower
              ? UnicodeUtil.truncateStringMin(text, 16)
              : UnicodeUtil.truncateStringMax(text, 16);
    }
    return Conversions.toByteBuffer(type, cut);
  }

  private static boolean isNan(Object value) {
    return (value instanceof Float f && f.isNaN()) || (value instanceof Double d && d.isNaN());
  }

  private static Map<Integer, Object> row(RandomGenerator random) {
    Map<Integer, Object> row = new HashMap<>();
    for (NestedField field : FIELDS) {
      row.put(field.fieldId(), ExpressionRows.value(field, random));
    }
    if (random.nextInt(4) > 0) {
      row.put(16, true);
      row.put(17, ExpressionRows.value(ExpressionRows.SCHEMA.findField(17), random));
      if (random.nextInt(4) > 0) {
        row.put(18, true);
        row.put(19, random.nextBoolean() ? "a" : "\uD83D\uDE00x");
      }
    }
    row.values().removeIf(value -> value == null);
    return row;
  }

  private static Case condition(RandomGenerator random, int depth) {
    int choice = depth == 0 ? 9 : random.nextInt(10);
    switch (choice) {
      case 0, 1 -> {
        Case a = condition(random, depth - 1);
        Case b = condition(random, depth - 1);
        return new Case(
            "(" + a.sql() + " and " + b.sql() + ")",
            row -> and(a.eval().apply(row), b.eval().apply(row)));
      }
      case 2, 3 -> {
        Case a = condition(random, depth - 1);
        Case b = condition(random, depth - 1);
        return new Case(
            "(" + a.sql() + " OR " + b.sql() + ")",
            row -> not(and(not(a.eval().apply(row)), not(b.eval().apply(row)))));
      }
      case 4 -> {
        Case a = condition(random, depth - 1);
        return new Case("NOT (" + a.sql() + ")", row -> not(a.eval().apply(row)));
      }
      case 5 -> {
        Case a = condition(random, depth - 1);
        return is(a, random);
      }
      default -> {
        return predicate(random);
      }
    }
  }

  private static Case is(Case a, RandomGenerator random) {
    boolean not = random.nextBoolean();
    String sql = "((" + a.sql() + ") IS " + (not ? "NOT " : "");
    return switch (random.nextInt(3)) {
      case 0 -> new Case(sql + "TRUE)", row -> Boolean.TRUE.equals(a.eval().apply(row)) != not);
      case 1 -> new Case(sql + "FALSE)", row -> Boolean.FALSE.equals(a.eval().apply(row)) != not);
      default -> new Case(sql + "unknown)", row -> (a.eval().apply(row) == null) != not);
    };
  }

  private static @Nullable Boolean and(@Nullable Boolean a, @Nullable Boolean b) {
    if (Boolean.FALSE.equals(a) || Boolean.FALSE.equals(b)) {
      return false;
    }
    return a == null || b == null ? null : true;
  }

  private static @Nullable Boolean not(@Nullable Boolean a) {
    return a == null ? null : !a;
  }

  private static Case predicate(RandomGenerator random) {
    NestedField field =
        switch (random.nextInt(12)) {
          case 0 -> ExpressionRows.SCHEMA.findField("st.x");
          case 1 -> ExpressionRows.SCHEMA.findField("st.in.z");
          default -> FIELDS.get(random.nextInt(FIELDS.size()));
        };
    String column = column(field);
    int id = field.fieldId();
    switch (random.nextInt(8)) {
      case 0 -> {
        boolean not = random.nextBoolean();
        return new Case(
            column + (not ? " is not null" : " IS NULL"), row -> (row.get(id) == null) != not);
      }
      case 1 -> {
        return list(field, column, random);
      }
      case 2 -> {
        return between(field, column, random);
      }
      case 3 -> {
        return field.type().typeId() == Type.TypeID.STRING
            ? like(field, column, random)
            : columns(random);
      }
      case 4 -> {
        return field.type().typeId() == Type.TypeID.BOOLEAN
            ? new Case(column, row -> (Boolean) row.get(id))
            : number(random);
      }
      default -> {
        Object literal = literal(field, random);
        String op = OPS[random.nextInt(OPS.length)];
        if (random.nextBoolean()) {
          return new Case(
              column + " " + op + " " + text(field.type(), literal),
              row -> compare(field.type(), row.get(id), op, literal));
        }
        return new Case(
            text(field.type(), literal) + op + column,
            row -> compare(field.type(), literal, op, row.get(id)));
      }
    }
  }

  /// Literals that no value of the column's type equals.
  private static Case number(RandomGenerator random) {
    String[] literals = {"0.5", "-0.5", "1e10", "-1e10", "99999999999999999999", "'1.005'"};
    String[] columns = {"i", "l", "dec"};
    int column = random.nextInt(3);
    String literal = literals[random.nextInt(literals.length)];
    BigDecimal value = new BigDecimal(literal.replace("'", ""));
    String op = OPS[random.nextInt(OPS.length)];
    int id = ExpressionRows.SCHEMA.findField(columns[column]).fieldId();
    return new Case(
        columns[column] + op + literal,
        row -> {
          Object object = row.get(id);
          return object == null
              ? null
              : test(op, new BigDecimal(object.toString()).compareTo(value));
        });
  }

  private static Case columns(RandomGenerator random) {
    String op = OPS[random.nextInt(OPS.length)];
    String[][] pairs = {{"i", "1"}, {"i2", "22"}, {"l", "2"}, {"\"a.b\"", "21"}, {"st.x", "17"}};
    String[] a = pairs[random.nextInt(pairs.length)];
    String[] b = pairs[random.nextInt(pairs.length)];
    return new Case(
        a[0] + " " + op + " " + b[0],
        row -> {
          Object left = row.get(Integer.parseInt(a[1]));
          Object right = row.get(Integer.parseInt(b[1]));
          return left == null || right == null
              ? null
              : test(op, Long.compare(((Number) left).longValue(), ((Number) right).longValue()));
        });
  }

  private static Case list(NestedField field, String column, RandomGenerator random) {
    boolean not = random.nextBoolean();
    List<Object> values = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = random.nextInt(1, 5); i > 0; i--) {
      Object literal = random.nextInt(8) == 0 ? null : literal(field, random);
      values.add(literal);
      texts.add(text(field.type(), literal));
    }
    return new Case(
        column + (not ? " not in (" : " IN (") + String.join(",", texts) + ")",
        row -> {
          Boolean in = false;
          for (Object value : values) {
            in =
                not(and(not(in), not(compare(field.type(), row.get(field.fieldId()), "=", value))));
          }
          return not ? not(in) : in;
        });
  }

  private static Case between(NestedField field, String column, RandomGenerator random) {
    Object low = literal(field, random);
    Object high = literal(field, random);
    boolean not = random.nextBoolean();
    Type type = field.type();
    return new Case(
        column + (not ? " not" : "") + " between " + text(type, low) + " AND " + text(type, high),
        row -> {
          Object value = row.get(field.fieldId());
          Boolean is = and(compare(type, value, ">=", low), compare(type, value, "<=", high));
          return not ? not(is) : is;
        });
  }

  private static Case like(NestedField field, String column, RandomGenerator random) {
    String[] patterns = {"%", "a%", "_", "a!%", "%b", "a!_b", "", "__%", "%\uD83D\uDE00%", "it''%"};
    String pattern = patterns[random.nextInt(patterns.length)];
    StringBuilder regex = new StringBuilder();
    String plain = pattern.replace("''", "'");
    for (int i = 0; i < plain.length(); i++) {
      char c = plain.charAt(i);
      if (c == '!') {
        regex.append(Pattern.quote(plain.substring(++i, i + 1)));
      } else {
        regex.append(c == '%' ? ".*" : c == '_' ? "." : Pattern.quote(String.valueOf(c)));
      }
    }
    Pattern compiled = Pattern.compile(regex.toString().replace("\\E\\Q", ""), Pattern.DOTALL);
    boolean not = random.nextBoolean();
    return new Case(
        column + (not ? " NOT" : "") + " like '" + pattern + "' escape '!'",
        row -> {
          Object value = row.get(field.fieldId());
          return value == null ? null : compiled.matcher(value.toString()).matches() != not;
        });
  }

  private static Object literal(NestedField field, RandomGenerator random) {
    Object value = null;
    while (value == null) {
      value = ExpressionRows.value(field, random);
    }
    return value;
  }

  private static String column(NestedField field) {
    String name = ExpressionRows.SCHEMA.findColumnName(field.fieldId());
    return name.contains(" ") || name.equals("a.b") ? "\"" + name + "\"" : name;
  }

  private static String text(Type type, @Nullable Object value) {
    if (value == null) {
      return "NULL";
    }
    return switch (type.typeId()) {
      case BOOLEAN, INTEGER, LONG, DECIMAL -> value.toString();
      case FLOAT, DOUBLE ->
          isNan(value) || value.toString().contains("Inf") ? "'" + value + "'" : value.toString();
      case DATE -> "DATE '" + LocalDate.ofEpochDay((int) value) + "'";
      case TIME -> "'" + LocalTime.ofNanoOfDay((long) value * 1000) + "'";
      case TIMESTAMP -> "TIMESTAMP '" + stamp((long) value * 1000) + "'";
      case TIMESTAMP_NANO -> "'" + stamp((long) value) + "'";
      case BINARY, FIXED -> "X'" + HexFormat.of().formatHex(ExpressionRows.bytes(value)) + "'";
      default -> "'" + value.toString().replace("'", "''") + "'";
    };
  }

  private static LocalDateTime stamp(long nanos) {
    return LocalDateTime.ofEpochSecond(
        Math.floorDiv(nanos, 1_000_000_000L),
        (int) Math.floorMod(nanos, 1_000_000_000L),
        ZoneOffset.UTC);
  }

  private static @Nullable Boolean compare(
      Type type, @Nullable Object left, String op, @Nullable Object right) {
    if (left == null || right == null) {
      return null;
    }
    if (left instanceof Float || left instanceof Double) {
      double a = ((Number) left).doubleValue();
      double b = ((Number) right).doubleValue();
      return switch (op) {
        case "=" -> a == b;
        case "<>", "!=" -> a != b;
        case "<" -> a < b;
        case "<=" -> a <= b;
        case ">" -> a > b;
        default -> a >= b;
      };
    }
    return test(op, order(left, right));
  }

  @SuppressWarnings("unchecked")
  private static int order(Object left, Object right) {
    if (left instanceof String a) {
      return Arrays.compareUnsigned(
          a.getBytes(StandardCharsets.UTF_8), ((String) right).getBytes(StandardCharsets.UTF_8));
    }
    if (left instanceof ByteBuffer || left instanceof UUID) {
      return Arrays.compareUnsigned(ExpressionRows.bytes(left), ExpressionRows.bytes(right));
    }
    return ((Comparable<Object>) left).compareTo(right);
  }

  private static boolean test(String op, int order) {
    return switch (op) {
      case "=" -> order == 0;
      case "<>", "!=" -> order != 0;
      case "<" -> order < 0;
      case "<=" -> order <= 0;
      case ">" -> order > 0;
      default -> order >= 0;
    };
  }
}
