package io.icewal.cli.sql;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.trino.jdbc.TrinoDriver;
import io.trino.jdbc.TrinoStatement;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/// A session with a Trino server that runs statements one by one, in UTC. Not thread-safe.
public final class SqlRun implements AutoCloseable {
  /// Takes what statements give.
  ///
  /// Implementations: the command's, and those of tests.
  public interface Results {
    /// The rows of a query, to be read to their end.
    void rows(ResultSet rows) throws SQLException, IOException;

    /// What a statement without rows did.
    ///
    /// @param kind as Trino calls it, such as `INSERT`
    /// @param count of rows; null where it has none
    void done(String kind, @Nullable Long count);

    /// A warning of Trino's.
    void warning(String message);
  }

  private static final Signal INTERRUPT = new Signal("INT");

  private static final Set<String> WRITES = Set.of("INSERT", "UPDATE", "DELETE", "MERGE");

  private final Connection connection;

  private SqlRun(Connection connection) {
    this.connection = connection;
  }

  /// Opens a session; a server that is not there is noticed by the first statement.
  ///
  /// @throws IcewalException INVALID for what the driver does not take
  public static SqlRun open(String url, String user) {
    // The driver's nested timestamps are of the JVM's zone, in which an hour of each spring is not
    // there; and what it prints for a session is to be the same on every machine.
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    Properties properties = new Properties();
    properties.setProperty("user", user);
    try {
      return new SqlRun(new TrinoDriver().connect(url, properties));
    } catch (SQLException e) {
      throw new IcewalException(ErrorKind.INVALID, url + ": " + e.getMessage(), e);
    }
  }

  /// Runs statements to the first that fails.
  public void run(List<String> statements, Results results) throws IOException {
    for (int i = 0; i < statements.size(); i++) {
      String where =
          statements.size() == 1
              ? ""
              : String.format(Locale.ROOT, "statement %d of %d: ", i + 1, statements.size());
      run(statements.get(i), where, results);
    }
  }

  private void run(String sql, String where, Results results) throws IOException {
    boolean read = false;
    try (Statement statement = connection.createStatement()) {
      // Ctrl-C ends the statement, not this process alone: Trino would go on for minutes.
      SignalHandler before = Signal.handle(INTERRUPT, signal -> cancel(statement));
      try {
        read = statement.execute(sql);
        hand(statement, read, results);
      } finally {
        Signal.handle(INTERRUPT, before);
      }
    } catch (SQLException e) {
      throw SqlErrors.of(e, where, read);
    }
  }

  private static void hand(Statement statement, boolean read, Results results)
      throws SQLException, IOException {
    if (read) {
      try (ResultSet rows = statement.getResultSet()) {
        results.rows(rows);
      }
    } else {
      long count = statement.getLargeUpdateCount();
      String kind = String.valueOf(statement.unwrap(TrinoStatement.class).getUpdateType());
      boolean counted = count > 0 || WRITES.contains(kind); // The driver says 0 for none, too.
      results.done(kind, counted ? count : null);
    }
    for (SQLWarning w = statement.getWarnings(); w != null; w = w.getNextWarning()) {
      results.warning(String.valueOf(w.getMessage()));
    }
  }

  private static void cancel(Statement statement) {
    try {
      statement.cancel();
    } catch (SQLException e) {
      System.err.println("icewal: the statement could not be cancelled: " + e.getMessage());
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw SqlErrors.of(e, "", /* read= */ true);
    }
  }
}
