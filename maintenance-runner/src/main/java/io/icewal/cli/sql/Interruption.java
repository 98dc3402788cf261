package io.icewal.cli.sql;

import sun.misc.Signal;
import sun.misc.SignalHandler;

/// Has Ctrl-C cancel a statement in place of ending this process alone: the engine would go on for
/// minutes. A second Ctrl-C does what it did before, should the engine not answer.
public final class Interruption implements AutoCloseable {
  /// Asks an engine to cancel what runs.
  ///
  /// Implementations: Trino's and Spark's.
  public interface Cancellation {
    void cancel() throws Exception;
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
    } catch (Exception e) {
      System.err.println("icewal: the statement could not be cancelled: " + e.getMessage());
    }
  }

  /// Whether there was a Ctrl-C.
  public boolean cancelled() {
    return cancelled;
  }

  @Override
  public void close() {
    Signal.handle(INTERRUPT, before);
  }
}
