package io.icewal.flight;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// For a process without a maintenance loop.
final class NoTableFaults implements TableFaults {
  @Override
  public @Nullable String lastError(UUID table) {
    return null;
  }
}
