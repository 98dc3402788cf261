package io.icewal.cli;

import io.icewal.cli.output.TextRows;
import io.icewal.cli.spark.SparkSession;
import io.icewal.cli.sql.Interruption;
import io.icewal.cli.sql.SqlStatements;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/// Runs statements in a session of Spark and prints what they give.
final class SparkStatements {
  private final SparkSession spark;
  private final StatementOutput output;

  SparkStatements(SparkSession spark, StatementOutput output) {
    this.spark = spark;
    this.output = output;
  }

  /// Runs statements to the first that fails, or to a Ctrl-C.
  void all(List<String> statements) throws IOException {
    try (Interruption interruption = new Interruption()) {
      for (int i = 0; i < statements.size(); i++) {
        one(statements.get(i), SqlStatements.place(i, statements.size()), interruption);
      }
    }
  }

  /// For the demo, whose statements do not fail.
  ///
  /// @return an exit code
  int shown(String statement) {
    try {
      all(List.of(statement));
      return ExitCode.DONE;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void one(String statement, String where, Interruption interruption) throws IOException {
    spark.run(
        statement,
        where,
        interruption,
        new SparkSession.Results() {
          @Override
          public void rows(TextRows rows) throws IOException {
            output.rows(rows);
          }

          @Override
          public void done() {
            output.done(SqlStatements.kind(statement, SqlStatements.Dialect.SPARK), null);
          }
        });
  }
}
