package io.icewal.flight;

import io.icewal.ingest.GroupCommit;
import io.icewal.model.LogName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One thread for each log: it waits until a flush is due and appends it.
final class LogThreads implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LogThreads.class);

  /// How long a thread waits before it looks whether it is to stop. It is woken for work at once.
  private static final Duration IDLE = Duration.ofSeconds(5);

  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;

  LogThreads(Map<LogName, GroupCommit> commits) {
    commits.forEach(
        (log, commit) ->
            threads.add(new Thread(() -> run(log, commit), "icewal-log-" + log.log())));
  }

  void start() {
    threads.forEach(Thread::start);
  }

  private void run(LogName log, GroupCommit commit) {
    while (!stopping) {
      try {
        if (commit.awaitWork(IDLE)) {
          commit.step();
        }
      } catch (InterruptedException e) {
        if (stopping) {
          return;
        }
        LOG.warn("thread of log {} was interrupted; it goes on", log);
      } catch (RuntimeException | Error e) {
        // The group's batches are answered by then: the log goes on with the next. A log without
        // its thread would take batches and never answer them.
        LOG.error("append to log {} failed", log, e);
      }
    }
  }

  /// Stops the threads; what is pending stays pending. Waits for running appends.
  @Override
  public void close() {
    stopping = true;
    boolean interrupted = false;
    for (Thread thread : threads) {
      thread.interrupt();
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
