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

  /// Runs statements to the first that fails.
  void all(List<String> statements) throws IOException {
    for (int i = 0; i < statements.size(); i++) {
      one(statements, i);
    }
  }

  /// Runs one of several, which ends them all if it fails or if Ctrl-C comes, however late.
  void one(List<String> statements, int index) throws IOException {
    int count = statements.size();
    boolean cancelled = one(statements.get(index), SqlStatements.place(index, count));
    if (cancelled && index + 1 < count) {
      throw Interruption.beforeStatement(SqlStatements.place(index + 1, count));
    }
  }

  /// For the demo, whose statements do not fail.
  ///
  /// @return an exit code
  int shown(String statement) {
    try {
      one(statement, "");
      return ExitCode.DONE;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean one(String statement, String where) throws IOException {
    return spark.run(
        statement,
        where,
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
