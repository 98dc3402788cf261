package io.icewal.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SqlStatementsTest {
  @Test
  void semicolonsPartStatementsButNotWithinQuotesAndComments() {
    assertThat(
            SqlStatements.of("SELECT 'a;''b;' ; SELECT \"x;\"\"y\" -- c;\n; /* ; * ; */ SELECT 3;"))
        .containsExactly("SELECT 'a;''b;'", "SELECT \"x;\"\"y\" -- c;", "/* ; * ; */ SELECT 3");
  }

  @Test
  void whatIsOnlyCommentsOrBlankIsNoStatement() {
    assertThat(SqlStatements.of(" ;; -- a;b\n ; /* c; */ ;\n")).isEmpty();
    assertThat(SqlStatements.of("")).isEmpty();
  }

  @Test
  void anUnfinishedQuoteOrCommentTakesTheRest() {
    assertThat(SqlStatements.of("SELECT 'a; SELECT 2")).containsExactly("SELECT 'a; SELECT 2");
    assertThat(SqlStatements.of("SELECT 1 /* a; b")).containsExactly("SELECT 1 /* a; b");
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

    assertThat(SqlStatements.of("SELECT 1; " + body + "; SELECT 2"))
        .containsExactly("SELECT 1", body, "SELECT 2");
    assertThat(SqlStatements.of("create or replace function f() returns int begin return 1; end;x"))
        .containsExactly("create or replace function f() returns int begin return 1; end", "x");
  }

  @Test
  void wordsOfBodiesArePlainNamesElsewhere() {
    assertThat(SqlStatements.of("SELECT begin FROM t; SELECT CASE WHEN a THEN 1 END; SELECT 'end'"))
        .containsExactly("SELECT begin FROM t", "SELECT CASE WHEN a THEN 1 END", "SELECT 'end'");
    assertThat(SqlStatements.of("CREATE FUNCTION f(begin int) RETURNS int RETURN begin + 1; X"))
        .hasSize(2);
  }

  @Test
  void longTextsArePartedToo() {
    String value = "x".repeat(1_000_000);

    assertThat(SqlStatements.of("SELECT '" + value + ";'; SELECT /*" + value + "*/ 2")).hasSize(2);
  }
}
