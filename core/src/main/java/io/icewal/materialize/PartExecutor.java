package io.icewal.materialize;

/// Where the parts of cycles are worked on: in this process ([LocalExecutor]), or, in an engine, on
/// other machines ([RemoteWork]).
public interface PartExecutor {
  /// Decompressed bytes of blocks that a cycle takes at once.
  long cycleBytesMax();

  /// Rows of blocks that a cycle takes at once.
  long cycleRowsMax();

  /// Takes the rows of a cycle; the caller closes them.
  Parts begin(CyclePlan plan);
}
