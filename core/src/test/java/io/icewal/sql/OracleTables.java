package io.icewal.sql;

import io.icewal.sql.OracleEngine.Partition;
import io.icewal.sql.OracleType.Base;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Makes tables of several kinds: keys of one column and of several, of numbers, texts and dates;
/// none; partitioned by the key, by other columns, or not.
final class OracleTables {
  private final OracleRun run;

  OracleTables(OracleRun run) {
    this.run = run;
  }

  /// One of a kind of tables.
  OracleTable create(String name) {
    return switch (run.random.nextInt(6)) {
      case 0 -> composite(name);
      case 1 -> strings(name);
      case 2 -> partitionedByOthers(name);
      case 3 -> partitionedByKey(name);
      case 4 -> wideKey(name);
      default -> keyless(name);
    };
  }

  private OracleTable create(
      String name, List<Partition> partitioning, List<OracleColumn> columns) {
    List<String> key = new ArrayList<>();
    columns.stream().filter(OracleColumn::key).forEach(column -> key.add(column.name()));
    String definitions =
        columns.stream()
            .map(column -> column.name() + " " + run.engine.type(column.type()))
            .collect(Collectors.joining(", "));
    run.execute(run.engine.create(name, definitions, key, partitioning));
    return new OracleTable(name, columns, run.engine);
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

  private static Partition identity(String column) {
    return new Partition("identity", column, 0);
  }

  private OracleTable composite(String name) {
    boolean byDay = run.random.nextBoolean();
    OracleColumn day = new OracleColumn("day", OracleType.of(Base.DATE), true, byDay);
    return create(
        name,
        byDay ? List.of(new Partition("month", "day", 0)) : List.of(),
        List.of(
            column("n", Base.INTEGER),
            day,
            key("k", Base.INTEGER),
            column("price", Base.NARROW_DECIMAL),
            column("at_time", Base.TIME)));
  }

  private OracleTable strings(String name) {
    return create(
        name,
        List.of(),
        List.of(key("id", Base.VARCHAR), nested(), tags(), column("flag", Base.BOOLEAN)));
  }

  private OracleTable wideKey(String name) {
    return create(
        name,
        List.of(),
        List.of(
            key("flag", Base.BOOLEAN),
            column("v", Base.VARCHAR),
            key("cents", Base.NARROW_DECIMAL),
            key("name", Base.VARCHAR),
            key("day", Base.DATE)));
  }

  private OracleTable partitionedByOthers(String name) {
    List<List<Partition>> specs =
        List.of(
            List.of(identity("part")),
            List.of(new Partition("truncate", "n", 10)),
            List.of(identity("part"), new Partition("bucket", "n", 2)));
    return create(
        name,
        run.pick(specs),
        List.of(
            key("id", Base.BIGINT),
            fixed("part", Base.VARCHAR),
            fixed("n", Base.INTEGER),
            nested()));
  }

  private OracleTable partitionedByKey(String name) {
    List<Partition> specs =
        List.of(
            new Partition("bucket", "id", 3), new Partition("truncate", "id", 10), identity("id"));
    return create(
        name,
        List.of(run.pick(specs)),
        List.of(
            column("v", Base.VARCHAR),
            new OracleColumn("id", OracleType.of(Base.BIGINT), true, true),
            column("price", Base.NARROW_DECIMAL)));
  }

  private OracleTable keyless(String name) {
    return create(
        name,
        run.random.nextBoolean() ? List.of(identity("part")) : List.of(),
        List.of(column("n", Base.INTEGER), fixed("part", Base.VARCHAR), nested()));
  }
}
