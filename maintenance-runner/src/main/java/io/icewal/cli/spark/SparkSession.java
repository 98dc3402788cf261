package io.icewal.cli.spark;

import com.fasterxml.jackson.databind.JsonNode;
import io.icewal.cli.output.TextRows;
import io.icewal.cli.sql.Interruption;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A session of Spark in a process of its own that runs statements one by one. Not thread-safe.
public final class SparkSession implements AutoCloseable {
  /// Takes what statements give.
  ///
  /// Implementations: the command's, and those of tests.
  public interface Results {
    /// The rows of a query, to be read to their end.
    void rows(TextRows rows) throws IOException;

    /// A statement without rows has been done.
    void done();
  }

  private static final String ERROR = "error";

  private final SparkProcess process;

  private SparkSession(SparkProcess process) {
    this.process = process;
  }

  /// Starts one, and waits until it runs statements.
  ///
  /// @param warehouse the catalog's option that names the warehouse, with its value
  /// @throws IcewalException if Spark does not start, or not with that catalog
  public static SparkSession start(SparkParts parts, Map.Entry<String, String> warehouse)
      throws IOException {
    SparkProcess process = SparkProcess.start(parts, warehouse);
    SparkSession session = new SparkSession(process);
    try {
      JsonNode answer = process.answer();
      if (answer == null) {
        throw process.endOf(ErrorKind.UNAVAILABLE, "", " before it had started");
      }
      requireNoError(answer, "", /* cancelled= */ false);
      return session;
    } catch (IOException | RuntimeException e) {
      session.close();
      throw e;
    }
  }

  /// Runs a statement. Ctrl-C cancels it.
  ///
  /// @param where what goes before messages, such as `statement 2 of 3: `
  /// @param interruption that of this statement and the others of its run
  /// @throws IcewalException that tells why it failed, or that it was not run for a Ctrl-C
  public void run(String statement, String where, Interruption interruption, Results results)
      throws IOException {
    try (Interruption.Running cancellable =
        interruption.begin(where, () -> process.send("cancel", true))) {
      ask(statement, where);
      Statement running = new Statement(where, interruption);
      JsonNode answer = running.next(/* read= */ false);
      if (answer.has("columns")) {
        try (running) {
          results.rows(new TextRows(columns(answer.get("columns")), () -> running.batch()));
        }
      } else {
        results.done();
      }
    }
  }

  private void ask(String statement, String where) {
    try {
      process.send("run", statement);
    } catch (IOException e) {
      throw process.endOf(ErrorKind.UNAVAILABLE, where, " before the statement");
    }
  }

  private static List<TextRows.Column> columns(JsonNode told) {
    List<TextRows.Column> columns = new ArrayList<>();
    for (JsonNode column : told) {
      columns.add(
          new TextRows.Column(
              column.get("name").asText(), TextRows.Kind.valueOf(column.get("kind").asText())));
    }
    return columns;
  }

  private static void requireNoError(JsonNode answer, String where, boolean cancelled) {
    JsonNode error = answer.get(ERROR);
    if (error != null) {
      ErrorKind kind = ErrorKind.valueOf(error.get("kind").asText());
      if (cancelled && kind != ErrorKind.UNKNOWN) {
        throw new IcewalException(ErrorKind.UNAVAILABLE, where + "cancelled");
      }
      throw new IcewalException(kind, where + error.get("message").asText());
    }
  }

  /// One that runs.
  private final class Statement implements AutoCloseable {
    private final String where;
    private final Interruption interruption;
    private boolean ended;

    Statement(String where, Interruption interruption) {
      this.where = where;
      this.interruption = interruption;
    }

    /// @param read whether rows have come already, so that it is no write
    JsonNode next(boolean read) throws IOException {
      JsonNode answer = process.answer();
      if (answer == null) {
        ended = true; // Nobody is left who could be asked to stop.
        throw process.endOf(
            read ? ErrorKind.UNAVAILABLE : ErrorKind.UNKNOWN,
            where,
            read ? "" : "; whether the statement took effect is not known");
      }
      ended = !answer.has("columns") && !answer.has("rows");
      requireNoError(answer, where, interruption.cancelled());
      return answer;
    }

    List<List<@Nullable String>> batch() throws IOException {
      List<List<@Nullable String>> batch = new ArrayList<>();
      if (!ended) {
        JsonNode answer = next(/* read= */ true);
        for (JsonNode row : answer.path("rows")) {
          List<@Nullable String> values = new ArrayList<>();
          row.forEach(value -> values.add(value.isNull() ? null : value.asText()));
          batch.add(values);
        }
      }
      return batch;
    }

    /// Passes over rows that nobody wanted to the end.
    @Override
    public void close() throws IOException {
      if (!ended) {
        process.send("cancel", true);
      }
      while (!ended) {
        JsonNode answer = process.answer();
        ended = answer == null || answer.has("end") || answer.has(ERROR);
      }
    }
  }

  /// Whether the process has ended by itself.
  public boolean isOver() {
    return process.hasEnded();
  }

  /// Ends the process, and waits for that.
  @Override
  public void close() throws IOException {
    process.close();
  }
}
