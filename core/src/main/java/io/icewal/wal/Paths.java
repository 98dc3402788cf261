package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import java.util.HexFormat;
import java.util.UUID;

/// The names of objects below the log root. All numbers are 16 (buckets: 13) lower-case hexadecimal
/// digits, so that the order of names is the order of numbers.
final class Paths {
  static final String LOG_JSON = "log.json";
  static final int BUCKET = 4096;

  private static final int BUCKET_DIGITS = 13;
  private static final HexFormat HEX = HexFormat.of();

  private Paths() {}

  static String log(LogName log) {
    return log.generation() + "/log-" + log.log() + "/";
  }

  static String segments(LogName log) {
    return log(log) + "segments/";
  }

  static String segment(LogName log, long number) {
    if (number < 1) {
      throw new IllegalArgumentException("segments are numbered from 1, got " + number);
    }
    return segments(log)
        + HEX.toHexDigits(number / BUCKET, BUCKET_DIGITS)
        + "/"
        + HEX.toHexDigits(number);
  }

  /// The number in a segment's name.
  static long segmentNumber(String key) {
    return hex(key, key.lastIndexOf('/') + 1, key.length());
  }

  static String boundaries(LogName log) {
    return log(log) + "boundary/";
  }

  /// Newest first: the name falls as the round rises.
  static String boundary(LogName log, long round) {
    return boundaries(log) + HEX.toHexDigits(Long.MAX_VALUE - round);
  }

  static long boundaryRound(String key) {
    return Long.MAX_VALUE - hex(key, key.lastIndexOf('/') + 1, key.length());
  }

  static String summaries(LogName log) {
    return log(log) + "summary/";
  }

  static String summary(LogName log, long round, UUID id) {
    return summaries(log) + HEX.toHexDigits(round) + "-" + id;
  }

  static String parkedObjects(LogName log) {
    return log(log) + "parked/";
  }

  static String parked(LogName log, long round, UUID id) {
    return parkedObjects(log) + HEX.toHexDigits(round) + "-" + id;
  }

  /// The round in the name of a summary or a parked object.
  static long round(String key) {
    int from = key.lastIndexOf('/') + 1;
    return hex(key, from, key.indexOf('-', from));
  }

  static String stagedObjects(LogName log) {
    return log(log) + "staged/";
  }

  static String staged(LogName log, UUID id) {
    return stagedObjects(log) + id;
  }

  static String acceptedLoss(LogName log, long number) {
    return log(log) + "accepted-loss/" + HEX.toHexDigits(number);
  }

  static String acceptedLoss(LogName log, long number, int block) {
    return acceptedLoss(log, number) + "-" + HEX.toHexDigits(block);
  }

  static String epochs(LogName log, UUID tableId, UUID stream) {
    return log(log) + "streams/" + tableId + "/" + stream + "/";
  }

  /// Newest first, as boundaries.
  ///
  /// @param state a word
  static String epoch(LogName log, UUID tableId, UUID stream, long epoch, String state) {
    return epochs(log, tableId, stream) + HEX.toHexDigits(Long.MAX_VALUE - epoch) + "-" + state;
  }

  static long epochNumber(String key) {
    return Long.MAX_VALUE - round(key);
  }

  static String clock(LogName log) {
    return log(log) + "clock";
  }

  private static long hex(String key, int from, int to) {
    try {
      if (to - from == 16) {
        return Long.parseLong(key, from, to, 16);
      }
    } catch (NumberFormatException e) {
      throw new IcewalException(ErrorKind.CORRUPT, foreign(key), e);
    }
    throw new IcewalException(ErrorKind.CORRUPT, foreign(key));
  }

  private static String foreign(String key) {
    return "object " + key + " does not belong into a log: its name is not one that icewal gives";
  }
}
