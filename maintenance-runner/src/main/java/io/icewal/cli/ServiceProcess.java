package io.icewal.cli;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.Stage;
import io.icewal.flight.Resources;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import sun.misc.Signal;

/// A long-running service: wires it, and ends it cleanly on SIGTERM or SIGINT.
final class ServiceProcess implements AutoCloseable {
  /// A process that a signal ended has this code plus the signal's number, by custom.
  private static final int SIGNAL_EXIT_CODES = 128;

  private final Injector injector;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean signalled = new AtomicBoolean();
  private final AtomicBoolean endedByItself = new AtomicBoolean();

  ServiceProcess(Module... modules) {
    injector = Guice.createInjector(Stage.DEVELOPMENT, modules);
    parts.push(injector.getInstance(Resources.class));
  }

  <T> T get(Class<T> type) {
    return injector.getInstance(type);
  }

  /// Closed when the process ends, before all that was added earlier.
  <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  /// Closed when the process ends, after everything else.
  void addLast(AutoCloseable part) {
    parts.addLast(part);
  }

  /// From now on, SIGTERM or SIGINT ends everything. A second signal ends the process at once. To
  /// be called before the process says that it serves: who reads that may end it.
  ///
  /// A shutdown hook would be too late: libraries end their thread pools in hooks of their own, at
  /// the same time, under an action that still runs.
  void handleSignals() {
    for (String name : List.of("TERM", "INT")) {
      Signal.handle(new Signal(name), this::onSignal);
    }
  }

  /// Waits until a signal, or [#end], has ended everything.
  void awaitEnd() throws InterruptedException {
    ended.await();
  }

  private void onSignal(Signal signal) {
    if (signalled.compareAndSet(false, true)) {
      closeQuietly();
    } else {
      Runtime.getRuntime().halt(SIGNAL_EXIT_CODES + signal.getNumber());
    }
  }

  /// Ends everything because a part has ended, as a signal would.
  void end() {
    if (signalled.compareAndSet(false, true)) {
      endedByItself.set(true);
      closeQuietly();
    }
  }

  /// Whether [#end] came before any signal.
  boolean endedByItself() {
    return endedByItself.get();
  }

  /// Whether a signal has come.
  boolean signalled() {
    return signalled.get() && !endedByItself.get();
  }

  private void closeQuietly() {
    try {
      close();
    } catch (RuntimeException e) {
      System.err.println("icewal: not ended cleanly: " + e);
    }
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    RuntimeException failure = null;
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        RuntimeException wrapped =
            e instanceof RuntimeException r ? r : new IllegalStateException(e);
        if (failure == null) {
          failure = wrapped;
        } else {
          failure.addSuppressed(wrapped);
        }
      }
    }
    ended.countDown();
    if (failure != null) {
      throw failure;
    }
  }
}
