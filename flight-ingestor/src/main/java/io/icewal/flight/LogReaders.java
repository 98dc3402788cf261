package io.icewal.flight;

import io.icewal.model.LogName;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.ReaderLimits;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;

/// The readers of all logs of a root, one each. Thread-safe.
public final class LogReaders {
  private final LogRoot root;
  private final Map<LogName, LogReader> readers = new HashMap<>();

  LogReaders(LogRoot root, Executor executor) {
    this.root = root;
    for (LogName log : root.all()) {
      readers.put(log, new LogReader(root, log, executor, ReaderLimits.DEFAULTS));
    }
  }

  public LogReader of(LogName log) {
    LogReader reader = readers.get(log);
    if (reader == null) {
      throw new IllegalArgumentException("log " + log + " is not of root " + root.root());
    }
    return reader;
  }

  /// The reader of the log that a table belongs to.
  public LogReader ofTable(UUID table) {
    return of(root.logOf(table));
  }
}
