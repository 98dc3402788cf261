package io.icewal.model;

/// What the caller of a failed operation should do. A seventh kind needs an RFC.
public enum ErrorKind {
  /// Somebody else changed what the operation was based on: look again, plan again.
  CONFLICT,
  /// The store, the catalog or this process cannot take the request now: retry later. Nothing was
  /// done.
  UNAVAILABLE,
  /// The outcome is not known: look, or send the same (producer, sequence) again.
  UNKNOWN,
  /// The request itself is wrong: change it before sending it again.
  INVALID,
  /// Stored bytes are damaged or missing: do not retry, call an operator.
  CORRUPT,
  /// A fault of icewal's own.
  INTERNAL
}
