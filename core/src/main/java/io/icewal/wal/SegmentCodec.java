package io.icewal.wal;

/// Segments as bytes, and back. Pure.
public final class SegmentCodec {
  /// The most bytes that one part may have once decompressed.
  public static final int FRAME_RAW_BYTES_MAX = 1 << 30;

  private SegmentCodec() {}
}
