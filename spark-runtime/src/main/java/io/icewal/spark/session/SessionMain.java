package io.icewal.spark.session;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.icewal.spark.IcewalCatalog;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/// The process's entry.
public final class SessionMain {
  private static final String CATALOG = "icewal";

  private SessionMain() {}

  /// @param args the option of the catalog that names the warehouse, `data` or `config`, and its
  ///   value
  public static void main(String[] args) throws IOException, InterruptedException {
    Answers answers = new Answers(new FileOutputStream(FileDescriptor.out));
    System.setOut(System.err);
    // A terminal sends Ctrl-C to this process too; the command decides what it means.
    Signal.handle(new Signal("INT"), signal -> {});
    SqlSession session;
    try {
      session = new SqlSession(open(args[0], args[1]), answers);
      session.requireCatalog();
    } catch (Exception e) { // Spark throws checked ones without saying so.
      answers.error(e);
      return;
    }
    BlockingQueue<SqlSession.Statement> statements = new LinkedBlockingQueue<>();
    Thread reader = new Thread(() -> read(statements, session), "input");
    reader.setDaemon(true);
    reader.start();
    answers.ready();
    while (true) {
      session.run(statements.take());
    }
  }

  private static SparkSession open(String option, String value) {
    return SparkSession.builder()
        .master("local[*]")
        .appName("icewal spark-sql")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config(
            "spark.sql.shuffle.partitions",
            Integer.toString(Runtime.getRuntime().availableProcessors()))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.datetime.java8API.enabled", "true")
        .config(
            "spark.sql.extensions",
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
        .config("spark.sql.defaultCatalog", CATALOG)
        .config("spark.sql.catalog." + CATALOG, IcewalCatalog.class.getName())
        .config("spark.sql.catalog." + CATALOG + "." + option, value)
        .getOrCreate();
  }

  /// Takes what the command says, until it says no more.
  private static void read(BlockingQueue<SqlSession.Statement> statements, SqlSession session) {
    ObjectMapper json = new ObjectMapper();
    long number = 0;
    SqlSession.@Nullable Statement last = null;
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        JsonNode request = json.readTree(line);
        if (request.has("run")) {
          last = new SqlSession.Statement(request.get("run").asText(), number++);
          statements.add(last);
        } else if (last != null) { // A cancellation.
          session.cancel(last);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      // Spark's own hooks stop it and remove its files, a statement that runs included.
      System.exit(0);
    }
  }
}
