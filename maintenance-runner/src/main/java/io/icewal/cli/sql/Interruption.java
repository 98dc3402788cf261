package io.icewal.cli.sql;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.sql.SQLException;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/// Has Ctrl-C cancel a statement in place of ending this process alone: the engine would go on for
/// minutes. A second Ctrl-C does what it did before, should the engine not answer.
public final class Interruption implements AutoCloseable {
  /// Asks an engine to cancel what runs.
  ///
  /// Implementations: Trino's and Spark's.
  public interface Cancellation {
    void cancel() throws IOException, SQLException;
  }

  private static final Signal INTERRUPT = new Signal("INT");

  private final SignalHandler before;
  private volatile boolean cancelled;

  public Interruption(Cancellation cancellation) {
    this.before = Signal.handle(INTERRUPT, signal -> cancel(cancellation));
  }

  private void cancel(Cancellation cancellation) {
    cancelled = true;
    close();
    try {
      cancellation.cancel();
    } catch (IOException | SQLException | RuntimeException e) {
      // This thread is the signal's: nobody else would tell of it. The statement goes on, and says
      // itself what became of it.
      System.err.println("icewal: the statement could not be cancelled: " + e);
    }
  }

  /// Whether there was a Ctrl-C. If the statement was done nevertheless it came too late for it,
  /// and is about what would run next.
  public boolean cancelled() {
    return cancelled;
  }

  /// Why a statement is not run: the Ctrl-C came too late for the one before.
  ///
  /// @param where what goes before messages about the statement
  public static IcewalException beforeStatement(String where) {
    return new IcewalException(ErrorKind.UNAVAILABLE, where + "cancelled before it ran");
  }

  @Override
  public void close() {
    Signal.handle(INTERRUPT, before);
  }
}
