package io.icewal.flight;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Knows what went wrong with a table lately. Implementations: [NoTableFaults], where nothing but
/// the ingestor runs, and the maintenance loop's, in a process that has one.
public interface TableFaults {
  /// The table's last error, or null if it is well.
  @Nullable String lastError(UUID table);
}
