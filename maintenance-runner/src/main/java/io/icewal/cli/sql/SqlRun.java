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

  /// Runs statements to the first that fails, or to a Ctrl-C.
  public void run(List<String> statements, Results results) throws IOException {
    try (Interruption interruption = new Interruption()) {
      for (int i = 0; i < statements.size(); i++) {
        String where = SqlStatements.place(i, statements.size());
        run(statements.get(i), where, interruption, results);
      }
    }
  }

  private void run(String sql, String where, Interruption interruption, Results results)
      throws IOException {
    boolean read = false;
    try (Statement statement = connection.createStatement();
        Interruption.Running running = interruption.begin(where, statement::cancel)) {
      read = statement.execute(sql);
      hand(statement, read, results);
    } catch (SQLException e) {
      throw interruption.cancelled()
          ? SqlErrors.ofCancelled(e, where, read)
          : SqlErrors.of(e, where, read);
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
