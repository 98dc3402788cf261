package io.icewal.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// An operating error: what failed, on which object or table, what was seen and what was expected.
///
/// Programmer errors are [IllegalArgumentException] and [IllegalStateException] instead and are
/// never caught.
public final class IcewalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorKind kind;

  @SuppressWarnings("serial") // List.copyOf gives a serializable list of serializable records.
  private final List<Verdict> verdicts;

  public IcewalException(ErrorKind kind, String message) {
    this(kind, message, null);
  }

  public IcewalException(ErrorKind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.verdicts = List.of();
  }

  /// An INVALID request that broke the given rules.
  public IcewalException(String message, List<Verdict> verdicts) {
    super(message);
    this.kind = ErrorKind.INVALID;
    this.verdicts = List.copyOf(verdicts);
  }

  /// What the caller should do.
  public ErrorKind kind() {
    return kind;
  }

  /// The rules that a refused request broke, such as a schema's bad columns; empty for any other
  /// error.
  public List<Verdict> verdicts() {
    return verdicts;
  }
}
