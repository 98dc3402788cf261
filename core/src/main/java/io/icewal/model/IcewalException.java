package io.icewal.model;

import org.jspecify.annotations.Nullable;

/// An operating error: what failed, on which object or table, what was seen and what was expected.
///
/// Programmer errors are [IllegalArgumentException] and [IllegalStateException] instead and are
/// never caught.
public final class IcewalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorKind kind;

  public IcewalException(ErrorKind kind, String message) {
    this(kind, message, null);
  }

  public IcewalException(ErrorKind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /// What the caller should do.
  public ErrorKind kind() {
    return kind;
  }
}
