package io.icewal.spark.procedures;

import io.icewal.engine.Materialized;
import io.icewal.engine.TableProcedures;
import io.icewal.model.Position;
import io.icewal.spark.materialize.SparkExecutor;
import io.icewal.spark.services.Warehouse;
import io.icewal.table.AdoptionReport;
import io.icewal.table.AdoptionRequest;
import io.icewal.table.IcewalTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/// The procedures `system.flush`, `system.materialize` and `system.adopt`. Thread-safe.
final class LogProcedures {
  private static final DataType TEXTS =
      DataTypes.createArrayType(DataTypes.StringType, /* containsNull= */ false);

  private final IcewalTables tables;
  private final TableProcedures procedures;
  private final Function<String, TableIdentifier> names;

  /// @param names what a table's name in a call means
  LogProcedures(IcewalTables tables, Warehouse warehouse, Function<String, TableIdentifier> names) {
    this.tables = tables;
    this.procedures = new TableProcedures(warehouse, SparkExecutor.with(warehouse.settings()));
    this.names = names;
  }

  List<LogProcedure> all() {
    return List.of(flush(), materialize(), adopt());
  }

  private LogProcedure flush() {
    return new LogProcedure(
        "flush",
        "Waits up to a minute until the rows that were acknowledged before are in a snapshot: a"
            + " maintenance runner takes them there",
        List.of(Arguments.table()),
        new StructType().add("position", DataTypes.StringType, false),
        arguments -> {
          Position reached =
              procedures.flush(tables, table(arguments), "flush-" + UUID.randomUUID());
          return List.of(reached.toString());
        });
  }

  private LogProcedure materialize() {
    return new LogProcedure(
        "materialize",
        "Takes the rows that were acknowledged before into a snapshot",
        List.of(Arguments.table()),
        new StructType()
            .add("rows", DataTypes.LongType, false)
            .add("commits", DataTypes.IntegerType, false)
            .add("position", DataTypes.StringType, true),
        arguments -> {
          Materialized done = procedures.materialize(tables, table(arguments));
          return values(done.rows(), done.commits(), text(done.position()));
        });
  }

  private LogProcedure adopt() {
    return new LogProcedure(
        "adopt",
        "Takes over a table that another engine made: its rows are kept, new ones go into the log",
        List.of(
            Arguments.table(),
            ProcedureParameter.in("primary_key", TEXTS)
                .defaultValue("NULL")
                .comment("columns of the key; without it the table's identifier fields")
                .build(),
            ProcedureParameter.in("require_key", DataTypes.BooleanType)
                .defaultValue("false")
                .comment("whether columns of the key may be made required")
                .build()),
        new StructType()
            .add("outcome", DataTypes.StringType, false)
            .add("primary_key", TEXTS, false)
            .add("data_files", DataTypes.LongType, false)
            .add("rows", DataTypes.LongType, false)
            .add("changes", TEXTS, false)
            .add("warnings", TEXTS, false)
            .add("position", DataTypes.StringType, true),
        this::adopt);
  }

  private List<@Nullable Object> adopt(Arguments arguments) {
    AdoptionReport report =
        procedures.adopt(
            tables,
            new AdoptionRequest(
                table(arguments),
                arguments.textsOrNull("primary_key"),
                arguments.flag("require_key")));
    return values(
        report.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' '),
        report.key(),
        report.dataFiles(),
        report.rows(),
        report.changes(),
        report.warnings(),
        text(report.position()));
  }

  private static List<@Nullable Object> values(@Nullable Object... values) {
    List<@Nullable Object> list = new ArrayList<>();
    for (Object value : values) {
      list.add(value);
    }
    return list;
  }

  private static @Nullable String text(@Nullable Position position) {
    return position == null ? null : position.toString();
  }

  private TableIdentifier table(Arguments arguments) {
    return names.apply(arguments.text("table"));
  }
}
