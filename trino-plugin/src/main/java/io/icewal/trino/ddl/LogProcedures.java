package io.icewal.trino.ddl;

import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.VarcharType.VARCHAR;

import io.icewal.engine.TableProcedures;
import io.icewal.table.AdoptionRequest;
import io.icewal.trino.services.Warehouse;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.procedure.Procedure.Argument;
import io.trino.spi.type.ArrayType;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// The procedures `system.flush`, `system.materialize` and `system.adopt`. Thread-safe.
public final class LogProcedures {
  private final Warehouse warehouse;
  private final TableProcedures procedures;

  public LogProcedures(Warehouse warehouse) {
    this.warehouse = warehouse;
    this.procedures = new TableProcedures(warehouse);
  }

  public Set<Procedure> all() {
    Argument schema = new Argument("SCHEMA_NAME", VARCHAR);
    Argument table = new Argument("TABLE_NAME", VARCHAR);
    Argument key = new Argument("PRIMARY_KEY", new ArrayType(VARCHAR), false, null);
    Argument require = new Argument("REQUIRE_KEY", BOOLEAN, false, false);
    return Set.of(
        new Procedure("system", "flush", List.of(schema, table), handle("flush")),
        new Procedure("system", "materialize", List.of(schema, table), handle("materialize")),
        new Procedure(
            "system",
            "adopt",
            List.of(schema, table, key, require),
            handle("adopt", List.class, boolean.class)));
  }

  private MethodHandle handle(String name, Class<?>... more) {
    List<Class<?>> types =
        new java.util.ArrayList<>(
            List.of(
                ConnectorAccessControl.class, ConnectorSession.class, String.class, String.class));
    types.addAll(List.of(more));
    try {
      return MethodHandles.lookup()
          .findVirtual(
              LogProcedures.class, name, java.lang.invoke.MethodType.methodType(void.class, types))
          .bindTo(this);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no procedure " + name, e);
    }
  }

  /// Waits until what was acknowledged before is in an Iceberg snapshot: a maintenance runner does
  /// it.
  public void flush(
      ConnectorAccessControl access, ConnectorSession session, String schema, String table) {
    access.checkCanInsertIntoTable(null, new SchemaTableName(schema, table));
    TableIdentifier name = TableIdentifier.of(Namespace.of(schema), table);
    warehouse.withTables(tables -> procedures.flush(tables, name, session.getQueryId()));
  }

  /// Takes what was acknowledged before into an Iceberg snapshot here and now.
  public void materialize(
      ConnectorAccessControl access, ConnectorSession session, String schema, String table) {
    access.checkCanInsertIntoTable(null, new SchemaTableName(schema, table));
    TableIdentifier name = TableIdentifier.of(Namespace.of(schema), table);
    warehouse.withTables(tables -> procedures.materialize(tables, name));
  }

  /// Takes over a table that another engine made.
  public void adopt(
      ConnectorAccessControl access,
      ConnectorSession session,
      String schema,
      String table,
      @Nullable List<?> key,
      boolean requireKey) {
    SchemaTableName name = new SchemaTableName(schema, table);
    access.checkCanSetTableProperties(null, name, java.util.Map.of());
    List<String> columns = key == null ? null : key.stream().map(String.class::cast).toList();
    AdoptionRequest request =
        new AdoptionRequest(TableIdentifier.of(Namespace.of(schema), table), columns, requireKey);
    warehouse.withTables(tables -> procedures.adopt(tables, request));
  }
}
