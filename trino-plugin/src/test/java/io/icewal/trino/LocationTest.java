package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Where tables lie: never where something else lies, which a DROP of one of them would take along.
@ExtendWith(TrinoServer.Shared.class)
class LocationTest {
  private final TrinoServer trino;
  private final TestTables tables;

  LocationTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  @Test
  void aTableIsNeverMadeWhereAnotherOneLies() {
    trino.execute("CREATE TABLE first WITH (primary_key = ARRAY['id']) AS SELECT 1 id");
    tables.materialize("first");
    String location = tables.load("first").location();

    assertThatThrownBy(() -> trino.execute("CREATE TABLE second (LIKE first INCLUDING PROPERTIES)"))
        .hasMessageContaining("non-empty location: " + location);
    assertThatThrownBy(
            () -> trino.execute("CREATE TABLE second (a int) WITH (location = '" + location + "')"))
        .hasMessageContaining("non-empty location: " + location);
    assertThatThrownBy(
            () ->
                trino.execute(
                    "CREATE TABLE second WITH (location = '" + location + "') AS SELECT 1 a"))
        .hasMessageContaining("non-empty location: " + location);

    assertThat(trino.rows("SHOW TABLES LIKE 'second'")).isEmpty();
    assertThat(trino.rows("SELECT id FROM first")).containsExactly("1");
  }

  @Test
  void aLikeTableHasTheKeyOfItsModel() {
    trino.execute("CREATE TABLE model (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");

    trino.execute(
        "CREATE TABLE likeness (LIKE model INCLUDING PROPERTIES) WITH (location = '"
            + tables.load("model").location()
            + "-2')");

    trino.execute("INSERT INTO likeness VALUES (1, 'a')");
    trino.execute("INSERT INTO likeness VALUES (1, 'b')");
    assertThat(trino.rows("SELECT * FROM likeness")).containsExactly("1|b");
    assertThat(trino.rows("SELECT * FROM model")).isEmpty();
    trino.execute("DROP TABLE likeness");
    trino.execute("INSERT INTO model VALUES (1, 'c')");
    tables.materialize("model");
    assertThat(trino.rows("SELECT * FROM model")).containsExactly("1|c");
  }

  @Test
  void aReplacedTableStaysWhereItIs() {
    trino.execute("CREATE TABLE settled (id bigint)");
    String location = tables.load("settled").location();

    assertThatThrownBy(
            () ->
                trino.execute(
                    "CREATE OR REPLACE TABLE settled (id bigint) WITH (location = '"
                        + location
                        + "-elsewhere')"))
        .hasMessageContaining("does not match the existing table location");
    trino.execute(
        "CREATE OR REPLACE TABLE settled (a bigint) WITH (location = '" + location + "/')");

    assertThat(tables.load("settled").location()).isEqualTo(location);
  }

  @Test
  void nothingOfATableLiesInTheLog() {
    String log = "file://" + trino.folder + "/log";
    trino.execute("CREATE TABLE apart (id bigint)");

    assertThatThrownBy(
            () -> trino.execute("CREATE TABLE inside (a int) WITH (location = '" + log + "/t')"))
        .hasMessageContaining("log");
    assertThatThrownBy(
            () -> trino.execute("CREATE TABLE inside (a int) WITH (data_location = '" + log + "')"))
        .hasMessageContaining("log");
    assertThatThrownBy(
            () -> trino.execute("ALTER TABLE apart SET PROPERTIES data_location = '" + log + "/d'"))
        .hasMessageContaining("log");
    assertThatThrownBy(
            () ->
                trino.execute(
                    "CREATE TABLE inside (a int) WITH (format_version = 2, location = '"
                        + log
                        + "/t')"))
        .hasMessageContaining("log");
  }
}
