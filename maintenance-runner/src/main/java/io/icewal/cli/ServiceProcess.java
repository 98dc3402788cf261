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
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

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
  private volatile int signalExitCode;

  ServiceProcess(Module... modules) {
    injector = Guice.createInjector(Stage.DEVELOPMENT, modules);
    parts.push(injector.getInstance(Resources.class));
  }

  <T> T get(Class<T> type) {
    return injector.getInstance(type);
  }

  /// Closed when the process ends, before all that was added earlier.
  ///
  /// @throws IllegalStateException if the process is ending already; then the part is closed
  <T extends AutoCloseable> T add(T part) {
    synchronized (parts) {
      if (!closed.get()) {
        parts.push(part);
        return part;
      }
    }
    IllegalStateException ending = new IllegalStateException("the process is ending");
    close(part, ending);
    throw ending;
  }

  /// Closed when the process ends, after everything else.
  void addLast(AutoCloseable part) {
    synchronized (parts) {
      parts.addLast(part);
    }
  }

  /// From now on, SIGTERM or SIGINT ends everything. A second signal ends the process at once. To
  /// be called before the process says that it serves: who reads that may end it.
  ///
  /// A shutdown hook would be too late: libraries end their thread pools in hooks of their own, at
  /// the same time, under an action that still runs.
  void handleSignals() {
    for (String name : List.of("TERM", "INT")) {
      Signal signal = new Signal(name);
      SignalHandler before = Signal.handle(signal, this::onSignal);
      addLast(() -> Signal.handle(signal, before));
    }
  }

  /// Waits until a signal, or [#end], has ended everything.
  void awaitEnd() throws InterruptedException {
    ended.await();
  }

  private void onSignal(Signal signal) {
    int code = SIGNAL_EXIT_CODES + signal.getNumber();
    if (signalled.compareAndSet(false, true)) {
      signalExitCode = code;
      closeQuietly();
    } else {
      Runtime.getRuntime().halt(code);
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

  /// Of a process that did not come to its end because of a signal, once all is closed.
  int signalExitCode() {
    return signalExitCode;
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
    @Nullable RuntimeException failure = null;
    for (AutoCloseable part = next(); part != null; part = next()) {
      failure = close(part, failure);
    }
    ended.countDown();
    if (failure != null) {
      throw failure;
    }
  }

  private @Nullable AutoCloseable next() {
    synchronized (parts) {
      return parts.poll();
    }
  }

  /// @return the first failure of all, with later ones
  private static @Nullable RuntimeException close(
      AutoCloseable part, @Nullable RuntimeException failure) {
    try {
      part.close();
      return failure;
    } catch (Exception e) {
      if (failure == null) {
        return e instanceof RuntimeException r ? r : new IllegalStateException(e);
      }
      failure.addSuppressed(e);
      return failure;
    }
  }
}
