package io.icewal.tail;

/// In which order a cut is made. The wrong one exists so that tests can show what the right one is
/// for.
enum CutOrder {
  /// The boundary is noted, then the table is loaded.
  BOUNDARY_FIRST,
  /// The table is loaded first: between that and the boundary, blocks after the table's position
  /// may be materialized and trimmed, and nobody notices.
  TABLE_FIRST
}
