package io.icewal.trino;

import io.icewal.TestTables;
import io.icewal.sql.OracleEngine;
import io.icewal.sql.OracleType;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Collectors;

/// Trino as the oracle drives it.
record TrinoOracle(TrinoServer trino) implements OracleEngine {
  private static final DateTimeFormatter TIME_LITERAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS 'UTC'");

  @Override
  public TestTables tables() {
    return trino.tables();
  }

  @Override
  public List<String> rows(String sql) {
    return trino.rows(sql);
  }

  @Override
  public void execute(String sql) {
    trino.execute(sql);
  }

  @Override
  public String values(List<String> rows, String alias, String... columns) {
    return trino.values(rows, alias, columns);
  }

  @Override
  public String versionAsOf(String table, String version) {
    return trino.versionAsOf(table, version);
  }

  @Override
  public String type(OracleType type) {
    return switch (type.base()) {
      case BOOLEAN -> "boolean";
      case INTEGER -> "integer";
      case BIGINT -> "bigint";
      case NARROW_DECIMAL -> "decimal(10,2)";
      case WIDE_DECIMAL -> "decimal(25,2)";
      case VARCHAR -> "varchar";
      case DATE -> "date";
      case TIME -> "timestamp(6) with time zone";
      case ARRAY -> "array(" + type(type.fields().get(0).type()) + ")";
      case ROW ->
          type.fields().stream()
              .map(field -> field.name() + " " + type(field.type()))
              .collect(Collectors.joining(", ", "row(", ")"));
    };
  }

  @Override
  public String literal(OracleType type, Object value) {
    return switch (type.base()) {
      case VARCHAR -> "CAST('" + value + "' AS varchar)";
      case DATE -> "DATE '" + value + "'";
      case TIME -> "TIMESTAMP '" + TIME_LITERAL.format((OffsetDateTime) value) + "'";
      default -> "CAST(" + value + " AS " + type(type) + ")";
    };
  }

  @Override
  public String array(OracleType type, List<String> elements) {
    return "ARRAY" + elements;
  }

  @Override
  public String struct(OracleType type, List<String> values) {
    return "ROW(" + String.join(", ", values) + ")";
  }

  @Override
  public String create(
      String table, String columns, List<String> key, List<Partition> partitioning) {
    return "CREATE TABLE %s (%s) WITH (primary_key = ARRAY%s, partitioning = ARRAY%s)"
        .formatted(
            table,
            columns,
            key.stream().map(column -> "'" + column + "'").toList(),
            partitioning.stream().map(part -> "'" + transform(part) + "'").toList());
  }

  private static String transform(Partition part) {
    return switch (part.transform()) {
      case "identity" -> part.column();
      case "month" -> "month(" + part.column() + ")";
      default -> part.transform() + "(" + part.column() + ", " + part.width() + ")";
    };
  }

  private Action sql(String sql) {
    return new Action(sql, () -> trino.execute(sql));
  }

  @Override
  public Action addColumn(String table, String column, OracleType type, Object value) {
    return sql(
        "ALTER TABLE %s ADD COLUMN %s %s%s"
            .formatted(table, column, type(type), value == null ? "" : defaultOf(type, value)));
  }

  private static String defaultOf(OracleType type, Object value) {
    return " DEFAULT "
        + switch (type.base()) {
          case VARCHAR -> "'" + value + "'";
          case DATE -> "DATE '" + value + "'";
          default -> value.toString();
        };
  }

  @Override
  public String alterType(String table, String column, OracleType type) {
    return "ALTER TABLE %s ALTER COLUMN %s SET DATA TYPE %s".formatted(table, column, type(type));
  }

  @Override
  public boolean changesKeyless() {
    return true;
  }

  @Override
  public List<Action> inserts(String table, String columns, boolean all, String query) {
    return List.of(sql("INSERT INTO " + table + " (" + columns + ") " + query));
  }

  @Override
  public List<Action> overwrites(String table, String query) {
    return List.of();
  }

  @Override
  public List<Action> tidying(String table) {
    String expire =
        "ALTER TABLE " + table + " EXECUTE expire_snapshots(retention_threshold => '0s')";
    return List.of(
        sql("ALTER TABLE " + table + " EXECUTE optimize"),
        new Action(
            expire,
            () ->
                trino.runner.execute(trino.with("expire_snapshots_min_retention", "0s"), expire)));
  }

  @Override
  public List<Action> materializations(String table) {
    return List.of(sql("CALL icewal.system.materialize('s', '" + table + "')"));
  }

  @Override
  public String deleteUnmatched(String condition) {
    return "";
  }
}
