package io.icewal.protocol;

/// The outcome of one batch.
public enum PutStatus {
  /// All rows are durable.
  OK,
  /// The good rows are durable; verdicts name the others.
  PARTIAL,
  /// Nothing was stored; verdicts say why.
  REJECTED
}
