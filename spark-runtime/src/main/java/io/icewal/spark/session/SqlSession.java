package io.icewal.spark.session;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.util.Iterator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/// Runs statements one by one. [#cancel] may come from another thread.
final class SqlSession {
  /// One that was asked for, and maybe was cancelled meanwhile.
  static final class Statement {
    private final String sql;

    /// Its jobs' name.
    private final String group;

    private volatile boolean cancelled;

    Statement(String sql, long number) {
      this.sql = sql;
      this.group = "statement-" + number;
    }

    private void requireNotCancelled() {
      if (cancelled) {
        throw new IcewalException(ErrorKind.UNAVAILABLE, "cancelled");
      }
    }
  }

  private final SparkSession spark;
  private final Answers answers;

  SqlSession(SparkSession spark, Answers answers) {
    this.spark = spark;
    this.answers = answers;
  }

  /// Spark opens a catalog at its first use; what is wrong with it is told before.
  void requireCatalog() {
    spark.sql("SHOW NAMESPACES").collectAsList();
  }

  /// Runs a statement and tells its rows, or that it is done, or why it failed.
  void run(Statement statement) throws IOException {
    try {
      statement.requireNotCancelled();
      spark.sparkContext().setJobGroup(statement.group, "", /* interruptOnCancel= */ false);
      Dataset<Row> result = spark.sql(statement.sql);
      if (result.schema().isEmpty()) {
        answers.done();
        return;
      }
      answers.columns(result.schema());
      Iterator<Row> rows = result.toLocalIterator();
      while (rows.hasNext()) {
        statement.requireNotCancelled();
        answers.row(rows.next());
      }
      answers.end();
    } catch (Exception e) { // Spark throws checked ones without saying so.
      answers.error(e); // Throws if it is the way back that is broken.
    }
  }

  /// Ends a statement, which fails then: the job that it runs, those that it would run next, and
  /// its rows, of which many may be read without a job.
  void cancel(Statement statement) {
    statement.cancelled = true;
    spark.sparkContext().cancelJobGroupAndFutureJobs(statement.group);
  }
}
