package io.icewal.expression;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import org.jspecify.annotations.Nullable;

/// Makes the errors of conditions that are not understood.
final class Refusal {
  private static final String SUPPORTED =
      "Supported: columns (nested as a.b, quoted as \"a b\") and literals compared by ="
          + " <> != < <= > >=, IN (…), BETWEEN, LIKE … ESCAPE, IS [NOT] NULL, IS [NOT]"
          + " TRUE/FALSE/UNKNOWN, joined by AND, OR, NOT and parentheses";

  private Refusal() {}

  /// @param at index of the character where it was seen
  /// @param what what was seen, and what is wrong with it
  static IcewalException of(int at, String what) {
    return of(at, what, null);
  }

  static IcewalException of(int at, @Nullable String what, @Nullable Throwable cause) {
    return new IcewalException(
        ErrorKind.INVALID,
        "condition not understood at character " + (at + 1) + ": " + what + ". " + SUPPORTED,
        cause);
  }
}
