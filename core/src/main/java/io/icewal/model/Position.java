package io.icewal.model;

import java.util.UUID;

/// A place in a log: everything in segments numbered up to and including [#number] is before it.
/// This is the only notion of order between processes. Number 0 is the log's very beginning.
///
/// The text form is `root-uuid/generation/log/number`.
///
/// @param log the log
/// @param number a segment number, from 0
public record Position(LogName log, long number) {
  public Position {
    if (number < 0) {
      throw new IllegalArgumentException("position number must be >= 0, got " + number);
    }
  }

  /// Reads the text form.
  ///
  /// @throws IcewalException INVALID if the text is not a position
  public static Position parse(String text) {
    String[] parts = text.split("/", -1);
    try {
      if (parts.length == 4) {
        LogName log =
            new LogName(
                UUID.fromString(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
        return new Position(log, Long.parseLong(parts[3]));
      }
    } catch (IllegalArgumentException e) {
      throw new IcewalException(ErrorKind.INVALID, notAPosition(text), e);
    }
    throw new IcewalException(ErrorKind.INVALID, notAPosition(text));
  }

  private static String notAPosition(String text) {
    return "not a position: '" + text + "'; expected root-uuid/generation/log/number";
  }

  @Override
  public String toString() {
    return log + "/" + number;
  }
}
