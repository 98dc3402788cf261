package io.icewal.materialize;

import java.nio.file.Path;

/// Bounds of a cycle.
///
/// @param cycleBytesMax decompressed bytes of the blocks that a cycle takes at once; a cycle whose
///   first segment alone is larger works in runs of this size on disk
/// @param attemptsMax attempts to commit one cycle
/// @param spillFolder where runs are kept while a cycle works in runs
public record MaterializeConfig(long cycleBytesMax, int attemptsMax, Path spillFolder) {
  /// A cycle needs about four times this much memory.
  public static final long CYCLE_BYTES_MAX_DEFAULT = 64L << 20;

  /// Each lost attempt means that another commit got through.
  public static final int ATTEMPTS_MAX_DEFAULT = 10;

  public MaterializeConfig {
    if (cycleBytesMax < 1 || attemptsMax < 1) {
      throw new IllegalArgumentException(
          "a cycle needs bytes and an attempt, got " + cycleBytesMax + " and " + attemptsMax);
    }
  }

  /// The defaults, with runs in the system's folder for temporary files.
  public static MaterializeConfig defaults() {
    return new MaterializeConfig(
        CYCLE_BYTES_MAX_DEFAULT,
        ATTEMPTS_MAX_DEFAULT,
        Path.of(System.getProperty("java.io.tmpdir", ".")));
  }
}
