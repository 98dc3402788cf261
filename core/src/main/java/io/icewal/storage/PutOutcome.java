package io.icewal.storage;

/// What is known after a put-if-absent.
public sealed interface PutOutcome {
  PutOutcome CREATED = new Created();
  PutOutcome EXISTS = new Exists();

  /// The object was stored by this call.
  record Created() implements PutOutcome {}

  /// An object of this key existed already (it may be this caller's own, from an earlier attempt).
  record Exists() implements PutOutcome {}

  /// The object may be there, may come to be there later, or may never be there.
  ///
  /// @param cause what happened, for messages
  record Unknown(Throwable cause) implements PutOutcome {}
}
