package io.icewal.read;

/// How new the rows of a scan are.
public enum Freshness {
  /// Everything that was acknowledged when the scan was planned.
  FRESH,
  /// The table's current snapshot, as any other Iceberg reader sees it.
  NO_TAIL
}
