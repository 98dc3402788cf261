package io.icewal.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.cli.sql.SqlStatements.Dialect;
import java.util.List;
import org.junit.jupiter.api.Test;

class SqlStatementsTest {
  private static List<String> parted(String text) {
    return SqlStatements.of(text, Dialect.TRINO);
  }

  @Test
  void semicolonsPartStatementsButNotWithinQuotesAndComments() {
    assertThat(parted("SELECT 'a;''b;' ; SELECT \"x;\"\"y\" -- c;\n; /* ; * ; */ SELECT 3;"))
        .containsExactly("SELECT 'a;''b;'", "SELECT \"x;\"\"y\" -- c;", "/* ; * ; */ SELECT 3");
  }

  @Test
  void whatIsOnlyCommentsOrBlankIsNoStatement() {
    assertThat(parted(" ;; -- a;b\n ; /* c; */ ;\n")).isEmpty();
    assertThat(parted("")).isEmpty();
  }

  @Test
  void anUnfinishedQuoteOrCommentTakesTheRest() {
    assertThat(parted("SELECT 'a; SELECT 2")).containsExactly("SELECT 'a; SELECT 2");
    assertThat(parted("SELECT 1 /* a; b")).containsExactly("SELECT 1 /* a; b");
  }

  @Test
  void theBodyOfAFunctionIsNotParted() {
    String body =
        """
        WITH FUNCTION sum_to(n bigint) RETURNS bigint
          BEGIN
            DECLARE s, begin bigint DEFAULT if(n > 0, 0);
            top: WHILE n > 0 DO
              SET s = s + CASE WHEN n = 1 THEN 1 ELSE n END;
              IF n = 7 THEN BEGIN SET n = 1; END; END IF;
              CASE n WHEN 1 THEN LEAVE top; ELSE SET begin = 1; END CASE;
              SET n = n - 1;
            END WHILE;
            REPEAT SET s = s; UNTIL true END REPEAT;
            RETURN s;
          END,
        FUNCTION one() RETURNS bigint RETURN 1
        SELECT sum_to(10)""";

    assertThat(parted("SELECT 1; " + body + "; SELECT 2"))
        .containsExactly("SELECT 1", body, "SELECT 2");
    assertThat(parted("create or replace function f() returns int begin return 1; end;x"))
        .containsExactly("create or replace function f() returns int begin return 1; end", "x");
  }

  @Test
  void wordsOfBodiesArePlainNamesElsewhere() {
    assertThat(parted("SELECT begin FROM t; SELECT CASE WHEN a THEN 1 END; SELECT 'end'"))
        .containsExactly("SELECT begin FROM t", "SELECT CASE WHEN a THEN 1 END", "SELECT 'end'");
    assertThat(parted("CREATE FUNCTION f(begin int) RETURNS int RETURN begin + 1; X")).hasSize(2);
  }

  @Test
  void longTextsArePartedToo() {
    String value = "x".repeat(1_000_000);

    assertThat(parted("SELECT '" + value + ";'; SELECT /*" + value + "*/ 2")).hasSize(2);
  }

  @Test
  void aScriptOfSparkIsOneStatement() {
    String script =
        "BEGIN DECLARE x INT; IF x > 1 THEN SELECT 1; END IF; SELECT CASE WHEN 1 = 1 THEN 2 END; END";
    assertThat(SqlStatements.of("SELECT 1;" + script + "; SELECT 3", Dialect.SPARK))
        .containsExactly("SELECT 1", script, "SELECT 3");
    String loop =
        "BEGIN FOR r AS SELECT 1 i DO SELECT r.i; END FOR; DECLARE EXIT HANDLER FOR SQLEXCEPTION"
            + " BEGIN SELECT 2; END; DELETE FROM t; END";
    assertThat(SqlStatements.of(loop + "; SELECT 3", Dialect.SPARK))
        .containsExactly(loop, "SELECT 3");
  }

  @Test
  void sparkHasEscapesRawStringsStringsInEitherQuoteAndNamesInBackticks() {
    assertThat(
            SqlStatements.of(
                "SELECT 'it\\'s;', \"a\\\";b\", r'c\\';SELECT `x;'y`;SELECT 'd;''e'",
                Dialect.SPARK))
        .containsExactly(
            "SELECT 'it\\'s;', \"a\\\";b\", r'c\\'", "SELECT `x;'y`", "SELECT 'd;''e'");
    String value = "x\\'".repeat(300_000);
    assertThat(SqlStatements.of("SELECT '" + value + ";'; SELECT 2", Dialect.SPARK)).hasSize(2);
  }

  @Test
  void whatIsTypedIsCompleteOnceItEndsWithASemicolon() {
    assertThat(SqlStatements.isComplete("SELECT 1;  -- done\n", Dialect.SPARK)).isTrue();
    assertThat(SqlStatements.isComplete("", Dialect.SPARK)).isTrue();
    assertThat(SqlStatements.isComplete("SELECT ';", Dialect.SPARK)).isFalse();
    assertThat(SqlStatements.isComplete("SELECT 1; SELECT", Dialect.SPARK)).isFalse();
  }

  @Test
  void firstWordsTellWhatAStatementDoes() {
    assertThat(kind("/* SELECT */ insert into t VALUES (1)")).isEqualTo("INSERT");
    assertThat(kind("create or replace table t (a int)")).isEqualTo("CREATE TABLE");
    assertThat(kind("replace table t (a int)")).isEqualTo("REPLACE TABLE");
    assertThat(kind("DROP\n NAMESPACE x")).isEqualTo("DROP NAMESPACE");
    assertThat(kind("USE x")).isEqualTo("USE");
    assertThat(kind("(SELECT 1)")).isEqualTo("DONE");
  }

  private static String kind(String statement) {
    return SqlStatements.kind(statement, Dialect.SPARK);
  }
}
