package io.icewal.spark;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/// Spark as a process of its own, for tests of other modules: runs each line of standard input as a
/// statement in catalog `icewal`, and answers with lines of `row …` and a last one, `done` or
/// `error …`. Ends with its input.
final class SparkWorker {
  private SparkWorker() {}

  /// @param arguments the configuration file of the warehouse, and a folder of the session's own
  public static void main(String[] arguments) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err);
    SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.warehouse.dir", arguments[1])
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.defaultCatalog", "icewal")
            .config("spark.sql.catalog.icewal", IcewalCatalog.class.getName())
            .config("spark.sql.catalog.icewal.config", arguments[0])
            .getOrCreate();
    out.println("ready");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String sql = in.readLine(); sql != null; sql = in.readLine()) {
      answer(spark, sql).forEach(out::println);
    }
    // Its threads would keep the process alive.
    Runtime.getRuntime().halt(0);
  }

  private static List<String> answer(SparkSession spark, String sql) {
    try {
      List<String> lines = new java.util.ArrayList<>();
      SparkServer.rows(spark.sql(sql)).forEach(row -> lines.add("row " + row));
      lines.add("done");
      return lines;
    } catch (Exception e) {
      StringBuilder message = new StringBuilder();
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        message.append(cause).append(" | ");
      }
      return List.of("error " + message.toString().replaceAll("\\R", " "));
    }
  }
}
