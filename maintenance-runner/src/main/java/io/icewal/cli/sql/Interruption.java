package io.icewal.cli.sql;

import java.sql.SQLException;
import java.sql.Statement;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/// Has Ctrl-C cancel a statement in place of ending this process alone: Trino would go on for
/// minutes. A second Ctrl-C does what it did before, should the server not answer.
final class Interruption implements AutoCloseable {
  private static final Signal INTERRUPT = new Signal("INT");

  private final SignalHandler before;
  private volatile boolean cancelled;

  Interruption(Statement statement) {
    this.before = Signal.handle(INTERRUPT, signal -> cancel(statement));
  }

  private void cancel(Statement statement) {
    cancelled = true;
    close();
    try {
      statement.cancel();
    } catch (SQLException e) {
      System.err.println("icewal: the statement could not be cancelled: " + e.getMessage());
    }
  }

  /// Whether there was a Ctrl-C.
  boolean cancelled() {
    return cancelled;
  }

  @Override
  public void close() {
    Signal.handle(INTERRUPT, before);
  }
}
