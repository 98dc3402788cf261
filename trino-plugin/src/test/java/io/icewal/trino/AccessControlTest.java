package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.Resources;
import io.trino.Session;
import io.trino.spi.security.Identity;
import io.trino.testing.TestingAccessControlManager;
import java.io.File;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/// Rules on who may do what hold for rows of files and of the log alike, and for icewal's own
/// procedures.
@ExtendWith(TrinoServer.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccessControlTest {
  private final TrinoServer trino;
  private final TestTables tables;

  AccessControlTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  /// Of the table `guarded`, `level` 5 and above is not for everybody. In files 1 to 4 have level 1
  /// and 5 has 9; then in the log 2 goes up to 9, 5 down to 1, 4 is deleted, 6 and 7 come.
  @BeforeAll
  void fill() {
    for (Map.Entry<String, Map<String, String>> catalog :
        Map.of(
                "guarded",
                Map.of("iceberg.security", "FILE", "security.config-file", rules()),
                "readonly",
                Map.of("iceberg.security", "READ_ONLY"))
            .entrySet()) {
      Map<String, String> properties = new java.util.HashMap<>(catalog.getValue());
      properties.put("icewal.data", trino.folder.toString());
      trino.runner.createCatalog(catalog.getKey(), "icewal", properties);
    }
    trino.execute(
        "CREATE TABLE guarded (id bigint, level integer, phone varchar, secret varchar)"
            + " WITH (primary_key = ARRAY['id'])");
    restore();
  }

  private void restore() {
    trino.execute("TRUNCATE TABLE guarded");
    trino.execute(
        "INSERT INTO guarded SELECT x, IF(x = 5, 9, 1), '10' || CAST(x AS varchar), 's' FROM"
            + " UNNEST(sequence(1, 5)) t(x)");
    tables.materialize("guarded");
    trino.execute("INSERT INTO guarded VALUES (2, 9, '202', 's'), (5, 1, '205', 's')");
    trino.execute("DELETE FROM guarded WHERE id = 4");
    trino.execute("INSERT INTO guarded VALUES (6, 1, '206', 's'), (7, 9, '207', 's')");
  }

  private static String rules() {
    return new File(Resources.getResource("access-rules.json").getFile()).toString();
  }

  private Session as(String user, String catalog) {
    return Session.builder(trino.runner.getDefaultSession())
        .setIdentity(Identity.ofUser(user))
        .setCatalog(catalog)
        .build();
  }

  private void assertDenied(Session session, String sql, String message) {
    assertThatThrownBy(() -> trino.runner.execute(session, sql))
        .as(sql)
        .hasMessageContaining("Access Denied")
        .hasMessageContaining(message);
  }

  @Test
  void readerSeesWhatTheRulesLetThroughOfFilesAndLog() {
    Session reader = as("reader", "guarded");

    List<String> expected = List.of("1|1|..1", "3|1|..3", "5|1|..5", "6|1|..6");
    assertThat(trino.rows(reader, "SELECT id, level, phone FROM guarded")).isEqualTo(expected);
    assertThat(trino.rows(reader, "SELECT count(*), max(level) FROM guarded"))
        .containsExactly("4|1");
    assertThat(trino.rows(reader, "SELECT id FROM guarded WHERE phone = '206'")).isEmpty();
    assertThat(trino.rows(reader, "SELECT id FROM guarded WHERE level = 9 OR id = 2")).isEmpty();
    assertThat(trino.rows(reader, "SELECT id FROM guarded ORDER BY level DESC, id LIMIT 1"))
        .containsExactly("1");
    assertThat(trino.rows(as("user", "guarded"), "SELECT count(*) FROM guarded"))
        .containsExactly("6");
  }

  @Test
  void readerIsDeniedWhatIsNotForReaders() {
    Session reader = as("reader", "guarded");

    assertDenied(reader, "SELECT secret FROM guarded", "Cannot select from");
    assertDenied(reader, "SELECT * FROM guarded", "Cannot select from");
    assertDenied(reader, "INSERT INTO guarded VALUES (8, 1, '', '')", "Cannot insert into table");
    assertDenied(reader, "UPDATE guarded SET level = 1", "Cannot update columns");
    assertDenied(reader, "DELETE FROM guarded WHERE id = 1", "Cannot delete from table");
    assertDenied(reader, "DELETE FROM guarded", "Cannot delete from table");
    assertDenied(reader, "TRUNCATE TABLE guarded", "Cannot truncate table");
    assertDenied(
        reader,
        "MERGE INTO guarded g USING (VALUES 1) s(x) ON g.id = s.x WHEN MATCHED THEN DELETE",
        "Cannot delete from table");
    assertDenied(reader, "CREATE TABLE mine (id bigint)", "Cannot create table");
    assertDenied(reader, "DROP TABLE guarded", "Cannot drop table");
    assertDenied(reader, "SELECT * FROM \"guarded$tail\"", "Cannot select from");
    for (String procedure : List.of("flush", "materialize")) {
      assertDenied(
          reader,
          "CALL system." + procedure + "('s', 'guarded')",
          "Cannot insert into table s.guarded");
    }
    assertDenied(
        reader, "CALL system.adopt('s', 'guarded')", "Cannot set table properties to s.guarded");
    assertThat(trino.rows("SELECT count(*) FROM guarded")).containsExactly("6");
  }

  @Test
  void clerkChangesOnlyRowsThatTheFilterShows() {
    Session clerk = as("clerk", "guarded");

    trino.runner.execute(clerk, "INSERT INTO guarded VALUES (1, 2, '201', 'clerk')");
    trino.runner.execute(clerk, "DELETE FROM guarded WHERE id IN (6, 7)");
    assertThatThrownBy(
            () -> trino.runner.execute(clerk, "INSERT INTO guarded VALUES (8, 9, '', '')"))
        .hasMessageContaining("row that does not match a row filter");
    assertThatThrownBy(() -> trino.runner.execute(clerk, "UPDATE guarded SET secret = 'clerk'"))
        .hasMessageContaining("Updating a table with a row filter is not supported");

    assertThat(trino.rows("SELECT id, secret FROM guarded"))
        .containsExactly("1|clerk", "2|s", "3|s", "5|s", "7|s");
    restore();
  }

  @Test
  void deletionOfAllThatAFilterShowsIsNoTruncation() {
    trino.runner.execute(as("clerk", "guarded"), "DELETE FROM guarded");

    assertThat(trino.rows("SELECT id FROM guarded")).containsExactly("2", "7");
    restore();
  }

  @Test
  void readOnlyCatalogReadsTheLogAndChangesNothing() {
    Session readonly = as("user", "readonly");

    assertThat(trino.rows(readonly, "SELECT count(*), max(phone) FROM guarded"))
        .containsExactly("6|207");
    for (String sql :
        List.of(
            "INSERT INTO guarded VALUES (8, 1, '', '')",
            "UPDATE guarded SET level = 1",
            "DELETE FROM guarded",
            "TRUNCATE TABLE guarded",
            "CREATE TABLE made AS SELECT 1 a",
            "CALL system.materialize('s', 'guarded')",
            "CALL system.flush('s', 'guarded')",
            "CALL system.adopt('s', 'guarded')")) {
      assertDenied(readonly, sql, "Cannot");
    }
  }

  @Test
  void rulesOfTheWholeSystemHold() {
    TestingAccessControlManager rules = trino.runner.getAccessControl();
    rules.deny(
        TestingAccessControlManager.privilege(
            "guarded.secret", TestingAccessControlManager.TestingPrivilegeType.SELECT_COLUMN),
        TestingAccessControlManager.privilege(
            "guarded", TestingAccessControlManager.TestingPrivilegeType.INSERT_TABLE));
    try {
      Session user = trino.runner.getDefaultSession();
      assertDenied(user, "SELECT secret FROM guarded", "Cannot select from columns");
      assertDenied(user, "INSERT INTO guarded SELECT * FROM guarded", "Cannot");
      assertDenied(user, "CALL system.materialize('s', 'guarded')", "Cannot insert into table");
    } finally {
      rules.reset();
    }
  }
}
