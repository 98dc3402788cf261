package io.icewal.spark.session;

import java.io.IOException;
import java.util.Iterator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/// Runs statements one by one. [#cancel] may come from another thread.
final class SqlSession {
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
  void run(String statement) throws IOException {
    try {
      Dataset<Row> result = spark.sql(statement);
      if (result.schema().isEmpty()) {
        answers.done();
        return;
      }
      answers.columns(result.schema());
      Iterator<Row> rows = result.toLocalIterator();
      while (rows.hasNext()) {
        answers.row(rows.next());
      }
      answers.end();
    } catch (Exception e) { // Spark throws checked ones without saying so.
      answers.error(e); // Throws if it is the way back that is broken.
    }
  }

  /// Ends the jobs of the statement that runs; it fails then.
  void cancel() {
    spark.sparkContext().cancelAllJobs();
  }
}
