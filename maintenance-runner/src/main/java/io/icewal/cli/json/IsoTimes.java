package io.icewal.cli.json;

import java.time.DateTimeException;
import java.time.LocalDate;

/// ISO 8601 dates and times to the numbers that Iceberg stores, without loss: a fraction finer than
/// the column's unit is refused, and so are a missing or a superfluous zone.
///
/// Every method throws [DateTimeException] with what is wrong; callers add value and column.
public final class IsoTimes {
  private static final long NANOS_OF_SECOND = 1_000_000_000L;
  private static final long SECONDS_OF_DAY = 86_400L;

  /// Of the last year that a date of 32 bits reaches: 5,881,580.
  private static final int YEAR_DIGITS_MAX = 7;

  private final String text;
  private int at;

  private IsoTimes(String text) {
    this.text = text;
  }

  /// Whether a date-time must end in `Z` or an offset, or must not.
  public enum Zone {
    REQUIRED,
    FORBIDDEN
  }

  /// `2024-02-29` to days since 1970-01-01.
  public static int days(String text) {
    IsoTimes in = new IsoTimes(text);
    long day = in.date();
    in.end();
    return Math.toIntExact(day);
  }

  /// `13:30`, `13:30:05`, `13:30:05.123456` to microseconds of the day.
  public static long timeMicros(String text) {
    IsoTimes in = new IsoTimes(text);
    long seconds = in.secondOfDay();
    long nanos = in.fraction();
    in.end();
    return seconds * 1_000_000 + micros(nanos);
  }

  /// `2024-02-29T13:30:05.123456Z` to microseconds since the epoch.
  public static long timestampMicros(String text, Zone zone) {
    IsoTimes in = new IsoTimes(text);
    long seconds = in.epochSecond();
    long nanos = in.fraction();
    seconds -= in.offset(zone);
    in.end();
    return exactly(seconds, 1_000_000, micros(nanos));
  }

  /// `2024-02-29T13:30:05.123456789Z` to nanoseconds since the epoch.
  public static long timestampNanos(String text, Zone zone) {
    IsoTimes in = new IsoTimes(text);
    long seconds = in.epochSecond();
    long nanos = in.fraction();
    seconds -= in.offset(zone);
    in.end();
    return exactly(seconds, NANOS_OF_SECOND, nanos);
  }

  private static long exactly(long seconds, long units, long fraction) {
    try {
      if (seconds < 0 && fraction > 0) {
        return Math.addExact(Math.multiplyExact(seconds + 1, units), fraction - units);
      }
      return Math.addExact(Math.multiplyExact(seconds, units), fraction);
    } catch (ArithmeticException e) {
      throw new DateTimeException("out of range", e);
    }
  }

  private static long micros(long nanos) {
    if (nanos % 1000 != 0) {
      throw new DateTimeException("finer than a microsecond");
    }
    return nanos / 1000;
  }

  private long epochSecond() {
    long day = date();
    if (at == text.length() || "Tt ".indexOf(text.charAt(at)) < 0) {
      throw new DateTimeException("a time is missing after the date");
    }
    at++;
    return day * SECONDS_OF_DAY + secondOfDay();
  }

  private long date() {
    int sign = 1;
    int digits = 4;
    if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
      sign = text.charAt(at++) == '-' ? -1 : 1;
      digits = text.indexOf('-', at) - at;
      if (digits < 4 || digits > YEAR_DIGITS_MAX) {
        throw new DateTimeException("not a year");
      }
    }
    int year = sign * number(digits);
    expect('-');
    int month = number(2);
    expect('-');
    return LocalDate.of(year, month, number(2)).toEpochDay();
  }

  private long secondOfDay() {
    int hour = number(2);
    expect(':');
    int minute = number(2);
    int second = 0;
    if (at < text.length() && text.charAt(at) == ':') {
      at++;
      second = number(2);
    }
    if (hour > 23 || minute > 59 || second > 59) {
      throw new DateTimeException("not a time of day");
    }
    return hour * 3600L + minute * 60L + second;
  }

  private long fraction() {
    if (at == text.length() || (text.charAt(at) != '.' && text.charAt(at) != ',')) {
      return 0;
    }
    at++;
    long nanos = 0;
    int digits = 0;
    while (at < text.length() && isDigit(text.charAt(at))) {
      int digit = text.charAt(at++) - '0';
      if (++digits <= 9) {
        nanos = nanos * 10 + digit;
      } else if (digit != 0) {
        throw new DateTimeException("finer than a nanosecond");
      }
    }
    if (digits == 0) {
      throw new DateTimeException("digits are missing after the point");
    }
    for (int i = digits; i < 9; i++) {
      nanos *= 10;
    }
    return nanos;
  }

  private long offset(Zone zone) {
    if (at == text.length()) {
      if (zone == Zone.REQUIRED) {
        throw new DateTimeException("a zone (Z or +hh:mm) is missing");
      }
      return 0;
    }
    if (zone == Zone.FORBIDDEN) {
      throw new DateTimeException("this column has no zone");
    }
    char sign = text.charAt(at++);
    if (sign == 'Z' || sign == 'z') {
      return 0;
    }
    if (sign != '+' && sign != '-') {
      throw new DateTimeException("not a zone");
    }
    int hours = number(2);
    int minutes = 0;
    if (at < text.length()) {
      at += text.charAt(at) == ':' ? 1 : 0;
      minutes = number(2);
    }
    if (hours > 18 || minutes > 59) {
      throw new DateTimeException("not a zone");
    }
    return (sign == '-' ? -1 : 1) * (hours * 3600L + minutes * 60L);
  }

  private int number(int digits) {
    if (at + digits > text.length()) {
      throw new DateTimeException("too short");
    }
    int number = 0;
    for (int i = 0; i < digits; i++) {
      char c = text.charAt(at++);
      if (!isDigit(c)) {
        throw new DateTimeException("'" + c + "' stands where a digit is expected");
      }
      number = number * 10 + (c - '0');
    }
    return number;
  }

  private void expect(char sign) {
    if (at == text.length() || text.charAt(at) != sign) {
      throw new DateTimeException("'" + sign + "' is missing");
    }
    at++;
  }

  private void end() {
    if (at != text.length()) {
      throw new DateTimeException("more than expected from '" + text.charAt(at) + "' on");
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
