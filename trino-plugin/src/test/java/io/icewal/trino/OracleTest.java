package io.icewal.trino;

import io.icewal.trino.OracleType.Base;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Random changes by SQL and by other writers of the log, of rows, columns and files, against an
/// oracle that holds what was acknowledged. After every step queries must give what it knows.
///
/// `-Dicewal.seed=N` runs that seed alone, `-Dicewal.seeds=N` so many from it on.
@ExtendWith(TrinoServer.Shared.class)
class OracleTest {
  private static final int STEPS = 14;
  private static final int QUICK_SEEDS = 5;
  private static final int LONG_SEEDS = 100;

  private final TrinoServer trino;

  OracleTest(TrinoServer trino) {
    this.trino = trino;
  }

  static LongStream quickSeeds() {
    Long first = Long.getLong("icewal.seed");
    return first == null
        ? LongStream.rangeClosed(1, QUICK_SEEDS)
        : LongStream.range(first, first + Long.getLong("icewal.seeds", 1));
  }

  static LongStream longSeeds() {
    return LongStream.range(1000, 1000 + LONG_SEEDS);
  }

  @ParameterizedTest
  @MethodSource("quickSeeds")
  void queriesGiveWhatWasAcknowledged(long seed) {
    run(seed);
  }

  @ParameterizedTest
  @MethodSource("longSeeds")
  @Tag("long")
  void queriesGiveWhatWasAcknowledgedForManySeeds(long seed) {
    run(seed);
  }

  private void run(long seed) {
    Random random = new Random(seed * 7919);
    List<String> history = new ArrayList<>();
    try {
      OracleTable table = create(seed, random, history);
      OracleSteps steps = new OracleSteps(trino, random, history);
      OracleMaintenance maintenance = new OracleMaintenance(trino, random, history);
      OracleQueries queries = new OracleQueries(trino, random);
      for (int i = 0; i < STEPS; i++) {
        boolean settled = false;
        int kind = random.nextInt(10);
        if (kind < 6) {
          steps.change(table);
        } else if (kind < 8) {
          settled = maintenance.maintain(table);
        } else {
          maintenance.alter(table);
        }
        queries.check(table);
        if (settled) {
          queries.checkMaterialized(table);
        }
      }
      trino.execute("DROP TABLE " + table.name);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "-Dicewal.seed=" + seed + "\n" + String.join("\n", history) + "\n" + e.getMessage(), e);
    }
  }

  /// One of a kind of tables.
  private OracleTable create(long seed, Random random, List<String> history) {
    String name = "oracle_" + seed;
    return switch (random.nextInt(5)) {
      case 0 -> composite(name, random, history);
      case 1 -> strings(name, history);
      case 2 -> partitionedByOthers(name, random, history);
      case 3 -> partitionedByKey(name, random, history);
      default -> keyless(name, random, history);
    };
  }

  private OracleTable create(
      String name, String partitioning, List<OracleColumn> columns, List<String> history) {
    List<String> definitions = new ArrayList<>();
    List<String> key = new ArrayList<>();
    for (OracleColumn column : columns) {
      definitions.add(column.name() + " " + column.type().sql());
      if (column.key()) {
        key.add("'" + column.name() + "'");
      }
    }
    String sql =
        "CREATE TABLE %s (%s) WITH (primary_key = ARRAY%s, partitioning = ARRAY[%s])"
            .formatted(name, String.join(", ", definitions), key, partitioning);
    history.add(sql);
    trino.execute(sql);
    return new OracleTable(name, columns);
  }

  private static OracleColumn key(String name, Base type) {
    return new OracleColumn(name, OracleType.of(type), true, false);
  }

  private static OracleColumn column(String name, Base type) {
    return new OracleColumn(name, OracleType.of(type), false, false);
  }

  private static OracleColumn fixed(String name, Base type) {
    return new OracleColumn(name, OracleType.of(type), false, true);
  }

  private static OracleColumn nested() {
    return new OracleColumn(
        "place",
        OracleType.row(
            new OracleField("city", OracleType.of(Base.VARCHAR)),
            new OracleField(
                "at", OracleType.row(new OracleField("x", OracleType.of(Base.INTEGER))))),
        false,
        false);
  }

  private static OracleColumn tags() {
    return new OracleColumn("tags", OracleType.array(OracleType.of(Base.VARCHAR)), false, false);
  }

  private OracleTable composite(String name, Random random, List<String> history) {
    boolean byDay = random.nextBoolean();
    OracleColumn day = new OracleColumn("day", OracleType.of(Base.DATE), true, byDay);
    return create(
        name,
        byDay ? "'month(day)'" : "",
        List.of(
            column("n", Base.INTEGER),
            day,
            key("k", Base.INTEGER),
            column("price", Base.NARROW_DECIMAL),
            column("at_time", Base.TIME)),
        history);
  }

  private OracleTable strings(String name, List<String> history) {
    return create(
        name,
        "",
        List.of(key("id", Base.VARCHAR), nested(), tags(), column("flag", Base.BOOLEAN)),
        history);
  }

  private OracleTable partitionedByOthers(String name, Random random, List<String> history) {
    List<String> specs = List.of("'part'", "'truncate(n, 10)'", "'part', 'bucket(n, 2)'");
    return create(
        name,
        specs.get(random.nextInt(specs.size())),
        List.of(
            key("id", Base.BIGINT),
            fixed("part", Base.VARCHAR),
            fixed("n", Base.INTEGER),
            nested()),
        history);
  }

  private OracleTable partitionedByKey(String name, Random random, List<String> history) {
    List<String> specs = List.of("'bucket(id, 3)'", "'truncate(id, 10)'", "'id'");
    return create(
        name,
        specs.get(random.nextInt(specs.size())),
        List.of(
            column("v", Base.VARCHAR),
            new OracleColumn("id", OracleType.of(Base.BIGINT), true, true),
            column("price", Base.NARROW_DECIMAL)),
        history);
  }

  private OracleTable keyless(String name, Random random, List<String> history) {
    return create(
        name,
        random.nextBoolean() ? "'part'" : "",
        List.of(column("n", Base.INTEGER), fixed("part", Base.VARCHAR), nested()),
        history);
  }
}
