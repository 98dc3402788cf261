package io.icewal.cli.sql;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/// Has Ctrl-C cancel the statement that runs, and those after it, in place of ending this process
/// alone: the engine would go on for minutes. A second Ctrl-C does what it did before, should the
/// engine not answer.
///
/// It lasts from before the first of some statements until after the last: a signal's thread may
/// come late, and between two statements too, and must not take one for the other.
public final class Interruption implements AutoCloseable {
  /// Asks an engine to cancel what runs.
  ///
  /// Implementations: Trino's and Spark's.
  public interface Cancellation {
    void cancel() throws IOException, SQLException;
  }

  /// Ends what a Ctrl-C cancels.
  ///
  /// Implementations: that of a statement that runs.
  public interface Running extends AutoCloseable {
    @Override
    void close();
  }

  private static final Signal INTERRUPT = new Signal("INT");

  /// An engine passes over it as long as the statement is on its way.
  private static final long AGAIN_MILLIS = 100;

  private final SignalHandler before;
  private @Nullable Cancellation running;
  private volatile boolean cancelled;
  private boolean closed;

  public Interruption() {
    synchronized (this) {
      before = Signal.handle(INTERRUPT, this::interrupt);
    }
  }

  private void interrupt(Signal signal) {
    if (!cancel()) {
      Signal.raise(signal);
    }
  }

  /// @return false if it is no more this one's to handle
  private synchronized boolean cancel() {
    if (closed || cancelled) {
      return false;
    }
    Signal.handle(INTERRUPT, before);
    cancelled = true;
    try {
      while (running != null) {
        running.cancel();
        wait(AGAIN_MILLIS);
      }
    } catch (IOException | SQLException | RuntimeException e) {
      // This thread is the signal's: nobody else would tell of it. The statement goes on, and says
      // itself what became of it.
      System.err.println("icewal: the statement could not be cancelled: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // Nobody does: the thread is the signal's.
    }
    return true;
  }

  /// Has a statement be what a Ctrl-C cancels, until what is given is closed.
  ///
  /// @param where what goes before messages about the statement
  /// @param cancellation of the statement; called from another thread, maybe several times, and not
  ///   after what is given was closed
  /// @throws IcewalException UNAVAILABLE if a Ctrl-C came before: the statement is not to run
  public synchronized Running begin(String where, Cancellation cancellation) {
    if (cancelled) {
      throw new IcewalException(ErrorKind.UNAVAILABLE, where + "cancelled before it ran");
    }
    running = cancellation;
    return this::end;
  }

  private synchronized void end() {
    running = null;
    notifyAll();
  }

  /// Whether there was a Ctrl-C, which a statement that fails may have failed for.
  public boolean cancelled() {
    return cancelled;
  }

  /// Leaves Ctrl-C to whoever had it before.
  @Override
  public synchronized void close() {
    closed = true;
    end();
    Signal.handle(INTERRUPT, before);
  }
}
