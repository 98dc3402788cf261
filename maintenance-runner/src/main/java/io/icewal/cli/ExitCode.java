package io.icewal.cli;

import io.icewal.model.ErrorKind;

/// Exit codes of all commands.
public final class ExitCode {
  public static final int DONE = 0;
  public static final int INCOMPLETE = 1;
  public static final int INVALID = 2;
  public static final int UNAVAILABLE = 3;
  public static final int UNKNOWN = 4;
  public static final int CORRUPT = 5;
  public static final int INTERNAL = 6;

  private ExitCode() {}

  static int of(ErrorKind kind) {
    return switch (kind) {
      case INVALID -> INVALID;
      case UNAVAILABLE, CONFLICT -> UNAVAILABLE;
      case UNKNOWN -> UNKNOWN;
      case CORRUPT -> CORRUPT;
      case INTERNAL -> INTERNAL;
    };
  }
}
