package io.icewal.spark;

import io.icewal.TestTables;
import io.icewal.sql.OracleEngine;
import io.icewal.sql.OracleType;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;

/// Spark as the oracle drives it: rows come by SQL and by all ways that DataFrames have.
record SparkOracle(SparkServer spark) implements OracleEngine {
  private static final DateTimeFormatter TIME_LITERAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS'Z'");

  @Override
  public TestTables tables() {
    return spark.tables();
  }

  @Override
  public List<String> rows(String sql) {
    return spark.rows(sql);
  }

  @Override
  public void execute(String sql) {
    spark.execute(sql);
  }

  @Override
  public String values(List<String> rows, String alias, String... columns) {
    return spark.values(rows, alias, columns);
  }

  @Override
  public String versionAsOf(String table, String version) {
    return spark.versionAsOf(table, version);
  }

  @Override
  public String type(OracleType type) {
    return switch (type.base()) {
      case BOOLEAN -> "boolean";
      case INTEGER -> "int";
      case BIGINT -> "bigint";
      case NARROW_DECIMAL -> "decimal(10,2)";
      case WIDE_DECIMAL -> "decimal(25,2)";
      case VARCHAR -> "string";
      case DATE -> "date";
      case TIME -> "timestamp";
      case ARRAY -> "array<" + type(type.fields().get(0).type()) + ">";
      case ROW ->
          type.fields().stream()
              .map(field -> field.name() + ": " + type(field.type()))
              .collect(Collectors.joining(", ", "struct<", ">"));
    };
  }

  @Override
  public String literal(OracleType type, Object value) {
    return switch (type.base()) {
      case VARCHAR -> "'" + value + "'";
      case DATE -> "DATE '" + value + "'";
      case TIME -> "TIMESTAMP '" + TIME_LITERAL.format((OffsetDateTime) value) + "'";
      default -> "CAST(" + value + " AS " + type(type) + ")";
    };
  }

  @Override
  public String array(OracleType type, List<String> elements) {
    return "array(" + String.join(", ", elements) + ")";
  }

  @Override
  public String struct(OracleType type, List<String> values) {
    return IntStream.range(0, values.size())
        .mapToObj(i -> "'" + type.fields().get(i).name() + "', " + values.get(i))
        .collect(Collectors.joining(", ", "named_struct(", ")"));
  }

  @Override
  public String create(
      String table, String columns, List<String> key, List<Partition> partitioning) {
    String by = partitioning.stream().map(SparkOracle::transform).collect(Collectors.joining(", "));
    return "CREATE TABLE %s (%s)%s%s"
        .formatted(
            table,
            columns,
            by.isEmpty() ? "" : " PARTITIONED BY (" + by + ")",
            key.isEmpty()
                ? ""
                : " TBLPROPERTIES ('primary-key' = '" + String.join(",", key) + "')");
  }

  private static String transform(Partition part) {
    return switch (part.transform()) {
      case "identity" -> part.column();
      case "month" -> "months(" + part.column() + ")";
      default -> part.transform() + "(" + part.width() + ", " + part.column() + ")";
    };
  }

  private Action sql(String sql) {
    return new Action(sql, () -> spark.execute(sql));
  }

  /// Defaults are told to Iceberg: Spark's connector has no way to.
  @Override
  public Action addColumn(String table, String column, OracleType type, Object value) {
    if (value == null) {
      return sql("ALTER TABLE %s ADD COLUMN %s %s".formatted(table, column, type(type)));
    }
    return new Action(
        "add column " + column + " " + type(type) + " default " + value,
        () ->
            tables()
                .load(table)
                .updateSchema()
                .addColumn(column, type.iceberg(), defaultOf(value))
                .commit());
  }

  private static Literal<?> defaultOf(Object value) {
    return value instanceof LocalDate || value instanceof BigDecimal
        ? value instanceof LocalDate
            ? Expressions.lit(value.toString()).to(Types.DateType.get())
            : Expressions.lit((BigDecimal) value)
        : Expressions.lit(value);
  }

  @Override
  public String alterType(String table, String column, OracleType type) {
    return "ALTER TABLE %s ALTER COLUMN %s TYPE %s".formatted(table, column, type(type));
  }

  @Override
  public boolean changesKeyless() {
    return false;
  }

  @Override
  public List<Action> inserts(String table, String columns, boolean all, String query) {
    List<Action> ways = new ArrayList<>();
    ways.add(sql("INSERT INTO " + table + " (" + columns + ") " + query));
    if (all) {
      ways.add(sql("INSERT INTO " + table + " BY NAME " + query));
      ways.add(
          new Action(
              "writeTo append " + query,
              () -> {
                try {
                  spark.spark.sql(query).writeTo(table).append();
                } catch (NoSuchTableException e) {
                  throw new IllegalStateException(e);
                }
              }));
      ways.add(new Action("save append " + query, () -> save(table, query, SaveMode.Append)));
      ways.add(
          new Action(
              "insertInto " + query, () -> spark.spark.sql(query).write().insertInto(table)));
    }
    return ways;
  }

  private void save(String table, String query, SaveMode mode) {
    spark.spark.sql(query).write().format("icewal").mode(mode).save("s." + table);
  }

  @Override
  public List<Action> overwrites(String table, String query) {
    return List.of(
        sql("INSERT OVERWRITE " + table + " " + query),
        new Action("save overwrite " + query, () -> save(table, query, SaveMode.Overwrite)));
  }

  /// iceberg-spark fails to read a decimal with a default as vectors.
  @Override
  public String stock(String table) {
    return OracleEngine.super.stock(table) + " WITH (`vectorization-enabled` = 'false')";
  }

  @Override
  public List<Action> tidying(String table) {
    if (!SparkServer.runsAllOfIceberg()) {
      return List.of(
          new Action(
              "rewrite manifests of " + table,
              () -> tables().load(table).rewriteManifests().commit()));
    }
    return List.of(
        sql(
            "CALL icewal.system.rewrite_data_files(table => 's.%s', options => map('rewrite-all', 'true'))"
                .formatted(table)),
        new Action(
            "expire_snapshots " + table,
            () ->
                spark.execute(
                    "CALL icewal.system.expire_snapshots(table => 's.%s', older_than => TIMESTAMP '%s', retain_last => 1)"
                        .formatted(table, java.time.Instant.now()))),
        sql("CALL icewal.system.rewrite_manifests('s." + table + "')"));
  }

  @Override
  public List<Action> materializations(String table) {
    return List.of(sql("CALL icewal.system.materialize('s." + table + "')"));
  }

  @Override
  public String deleteUnmatched(String condition) {
    return " WHEN NOT MATCHED BY SOURCE AND (" + condition + ") THEN DELETE";
  }
}
