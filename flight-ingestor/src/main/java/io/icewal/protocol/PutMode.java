package io.icewal.protocol;

/// What happens to the good rows of a batch that also has bad ones.
public enum PutMode {
  /// Nothing of the batch is stored; the verdicts name the bad rows.
  REJECT,
  /// The good rows are stored; the verdicts name the others.
  PARTIAL
}
