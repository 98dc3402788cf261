package io.icewal.expression;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;

/// A LIKE pattern over UTF-8: `%` is any run of code points, `_` is one. Matching goes back to the
/// last `%` only, so it takes at most the product of both lengths.
final class LikePattern {
  private static final int ANY_RUN = -1;
  private static final int ANY_ONE = -2;

  /// Bytes as 0 to 255, [#ANY_ONE] and [#ANY_RUN].
  private final int[] units;

  private final String prefix;

  private LikePattern(int[] units, String prefix) {
    this.units = units;
    this.prefix = prefix;
  }

  /// @param escape the character that makes the next one stand for itself; 0 for none
  /// @throws IllegalArgumentException if the escape is followed by anything but `%`, `_` or itself
  static LikePattern of(String pattern, int escape) {
    List<Integer> units = new ArrayList<>();
    StringBuilder prefix = new StringBuilder();
    boolean wild = false;
    int[] points = pattern.codePoints().toArray();
    for (int i = 0; i < points.length; i++) {
      int point = points[i];
      if (escape != 0 && point == escape) {
        point = escaped(points, ++i, escape);
      } else if (point == '%' || point == '_') {
        addWild(units, point == '%' ? ANY_RUN : ANY_ONE);
        wild = true;
        continue;
      }
      String text = Character.toString(point);
      for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
        units.add(b & 0xFF);
      }
      if (!wild) {
        prefix.append(text);
      }
    }
    return new LikePattern(units.stream().mapToInt(Integer::intValue).toArray(), prefix.toString());
  }

  private static int escaped(int[] points, int at, int escape) {
    if (at == points.length || (points[at] != '%' && points[at] != '_' && points[at] != escape)) {
      throw new IllegalArgumentException("the escape character must be followed by %, _ or itself");
    }
    return points[at];
  }

  private static void addWild(List<Integer> units, int wild) {
    // Two % in a row mean one.
    if (wild == ANY_ONE || units.isEmpty() || units.get(units.size() - 1) != ANY_RUN) {
      units.add(wild);
    }
  }

  /// What every match begins with.
  String prefix() {
    return prefix;
  }

  boolean matches(ArrowBuf data, long start, long end) {
    long at = start;
    int unit = 0;
    long retryAt = -1;
    int retryUnit = -1;
    while (at < end) {
      if (unit < units.length && units[unit] == ANY_RUN) {
        retryUnit = ++unit;
        retryAt = at;
      } else if (unit < units.length && units[unit] == ANY_ONE) {
        at = next(data, at, end);
        unit++;
      } else if (unit < units.length && units[unit] == (data.getByte(at) & 0xFF)) {
        at++;
        unit++;
      } else if (retryUnit >= 0) {
        retryAt = next(data, retryAt, end);
        at = retryAt;
        unit = retryUnit;
      } else {
        return false;
      }
    }
    while (unit < units.length && units[unit] == ANY_RUN) {
      unit++;
    }
    return unit == units.length;
  }

  /// Where the next code point begins.
  private static long next(ArrowBuf data, long at, long end) {
    long next = at + 1;
    while (next < end && (data.getByte(next) & 0xC0) == 0x80) {
      next++;
    }
    return next;
  }
}
