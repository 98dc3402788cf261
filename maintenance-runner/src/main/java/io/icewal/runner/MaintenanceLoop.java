package io.icewal.runner;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The thread that drives a [Reconciler]. Lifecycle: [#start], then [#close], which lets a running
/// action end.
public final class MaintenanceLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MaintenanceLoop.class);
  private static final Duration AFTER_FAULT = Duration.ofSeconds(5);

  private final Reconciler reconciler;
  private final Thread thread = new Thread(this::run, "icewal-maintenance");
  private final Object lock = new Object();
  private boolean stopping;

  public MaintenanceLoop(Reconciler reconciler) {
    this.reconciler = reconciler;
  }

  public void start() {
    thread.start();
  }

  private void run() {
    while (await(step())) {}
  }

  private Duration step() {
    try {
      return reconciler.step();
    } catch (RuntimeException | Error e) {
      LOG.error("maintenance step failed; it goes on in {} s", AFTER_FAULT.toSeconds(), e);
      return AFTER_FAULT;
    }
  }

  /// @return false when the loop is to end
  private boolean await(Duration pause) {
    long until = System.nanoTime() + pause.toNanos();
    synchronized (lock) {
      for (long left = pause.toNanos(); left > 0 && !stopping; left = until - System.nanoTime()) {
        try {
          lock.wait(left / 1_000_000 + 1);
        } catch (InterruptedException e) {
          LOG.warn("maintenance thread was interrupted; it ends");
          return false;
        }
      }
      return !stopping;
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      stopping = true;
      lock.notifyAll();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
