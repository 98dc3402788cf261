package io.icewal.ingest;

/// The forms that texts and bytes come in.
enum ByteForm {
  /// Offsets of 4 bytes.
  VARIABLE,
  /// Offsets of 8 bytes.
  LARGE,
  /// Views of 16 bytes, short values inline, long ones in one of several buffers.
  VIEW,
  /// All of one length, without offsets.
  FIXED
}
