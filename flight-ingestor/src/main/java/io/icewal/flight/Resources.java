package io.icewal.flight;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a process opened and closes at its end, the last first. Thread-safe.
public final class Resources implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Resources.class);

  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /// Closes this at the end, if it is a resource at all.
  public synchronized <T> T add(T resource) {
    if (resource instanceof AutoCloseable closeable) {
      open.push(closeable);
    }
    return resource;
  }

  /// Closes everything, however much of it fails: the process is ending.
  @Override
  public synchronized void close() {
    while (!open.isEmpty()) {
      AutoCloseable resource = open.pop();
      try {
        resource.close();
      } catch (Exception e) {
        LOG.warn("could not close {}", resource, e);
      }
    }
  }
}
