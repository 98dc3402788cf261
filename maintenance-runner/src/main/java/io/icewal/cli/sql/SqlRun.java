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
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

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

  private static final Set<String> WRITES = Set.of("INSERT", "UPDATE", "DELETE", "MERGE");

  private final Connection connection;

  private SqlRun(Connection connection) {
    this.connection = connection;
  }

  /// Opens a session, and asks the server whether it is one of Trino's.
  ///
  /// @throws IcewalException INVALID for what the driver does not take, UNAVAILABLE if no server of
  ///   Trino's answers
  public static SqlRun open(String url, String user) {
    // The driver's nested timestamps are of the JVM's zone, in which an hour of each spring is not
    // there; and what it prints for a session is to be the same on every machine.
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    Properties properties = new Properties();
    properties.setProperty("user", user);
    SqlRun run;
    try {
      run = new SqlRun(new TrinoDriver().connect(url, properties));
    } catch (SQLException e) {
      throw new IcewalException(ErrorKind.INVALID, url + ": " + e.getMessage(), e);
    }
    run.requireServer(url);
    return run;
  }

  /// Whoever answers something else to a statement leaves open what became of it.
  private void requireServer(String url) {
    try {
      connection.getMetaData().getDatabaseProductVersion();
    } catch (SQLException | RuntimeException e) { // The driver lets through what HTTP throws.
      close();
      throw SqlErrors.ofConnecting(e, url);
    }
  }

  /// Runs statements to the first that fails.
  public void run(List<String> statements, Results results) throws IOException {
    for (int i = 0; i < statements.size(); i++) {
      boolean cancelled =
          run(statements.get(i), SqlStatements.place(i, statements.size()), results);
      if (cancelled && i + 1 < statements.size()) {
        throw Interruption.beforeStatement(SqlStatements.place(i + 1, statements.size()));
      }
    }
  }

  /// @return whether a Ctrl-C came too late to cancel it
  private boolean run(String sql, String where, Results results) throws IOException {
    boolean read = false;
    boolean cancelled = false;
    try (Statement statement = connection.createStatement()) {
      Interruption interruption = new Interruption(statement::cancel);
      try (interruption) {
        read = statement.execute(sql);
        hand(statement, read, results);
      } finally {
        cancelled = interruption.cancelled();
      }
      return cancelled;
    } catch (SQLException e) {
      throw cancelled ? SqlErrors.ofCancelled(e, where, read) : SqlErrors.of(e, where, read);
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

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw SqlErrors.of(e, "", /* read= */ true);
    }
  }
}
