package io.icewal.ingest;

/// The forms that lists come in.
enum ListForm {
  /// Offsets of 4 bytes; maps too.
  OFFSETS,
  /// Offsets of 8 bytes.
  LARGE_OFFSETS,
  /// All of one length, without offsets.
  FIXED,
  /// An offset and a size of 4 bytes each.
  VIEW,
  /// An offset and a size of 8 bytes each.
  LARGE_VIEW
}
