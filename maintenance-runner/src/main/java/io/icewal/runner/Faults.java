package io.icewal.runner;

import io.icewal.flight.TableFaults;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The last error of each table that is not well, for status. Thread-safe.
public final class Faults implements TableFaults {
  private final Map<UUID, String> errors = new ConcurrentHashMap<>();

  @Override
  public @Nullable String lastError(UUID table) {
    return errors.get(table);
  }

  void set(UUID table, String error) {
    errors.put(table, error);
  }

  void clear(UUID table) {
    errors.remove(table);
  }

  /// Clears the error if it is still this one.
  void clear(UUID table, String error) {
    errors.remove(table, error);
  }
}
