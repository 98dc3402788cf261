package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.testing.BaseConnectorSmokeTest;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingConnectorBehavior;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/// The short form of Trino's own tests of a connector; [IcewalConnectorTest] is the long one, and
/// tells why what is overridden here is as it is. Tables that are written to have a key.
class IcewalConnectorSmokeTest extends BaseConnectorSmokeTest {
  private TrinoServer server;

  @Override
  protected QueryRunner createQueryRunner() {
    server = TrinoServer.ofTpch(REQUIRED_TPCH_TABLES);
    return server.runner;
  }

  /// The runner is closed by Trino's class.
  @AfterAll
  void closeTables() {
    server.tables.close();
  }

  @Override
  protected boolean hasBehavior(TestingConnectorBehavior behavior) {
    return switch (behavior) {
      case SUPPORTS_CREATE_MATERIALIZED_VIEW, SUPPORTS_RENAME_SCHEMA -> false;
      default -> super.hasBehavior(behavior);
    };
  }

  @Override
  protected String getCreateTableDefaultDefinition() {
    return "(a bigint, b double) WITH (primary_key = ARRAY['a'])";
  }

  @Test
  @Override
  public void testRenameSchema() {
    assertQueryFails(
        "ALTER SCHEMA tpch RENAME TO other",
        "renameNamespace is not supported for Iceberg JDBC catalogs");
  }

  @Test
  @Override
  public void testShowCreateTable() {
    assertThat((String) computeScalar("SHOW CREATE TABLE region"))
        .startsWith("CREATE TABLE icewal.tpch.region (\n   regionkey bigint,\n   name varchar,\n")
        .contains("   format_version = 3,\n");
  }

  /// There are no materialized views.
  @Override
  public void testCommentMaterializedViewColumn() {}
}
