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
  void longTextsArePartedToo() {
    String value = "x".repeat(1_000_000);

    assertThat(SqlStatements.of("SELECT '" + value + ";'; SELECT /*" + value + "*/ 2")).hasSize(2);
  }
}
