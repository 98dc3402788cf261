package io.icewal.config;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads typed values from key-value pairs and knows which keys nobody has read.
///
/// Sizes are written `512`, `64KiB`, `8MiB`, `1GiB`; durations `250ms`, `30s`, `10m`, `1h`, `7d`.
/// Everything wrong is INVALID and names the key, the value and what is expected. Used once, by one
/// thread.
final class ConfigReader {
  private static final Pattern NUMBER_AND_UNIT = Pattern.compile("([0-9]{1,12}) ?([a-zA-Z]*)");
  private static final Map<String, Long> BYTES =
      Map.of("", 1L, "B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  /// A wrong key this near to a right one is taken for a slip of the pen.
  private static final int SLIPS_MAX = 5;

  private final Map<String, String> values;
  private final String source;
  private final Set<String> known = new TreeSet<>();

  /// @param source where the values come from, for messages
  ConfigReader(Map<String, String> values, String source) {
    this.values = new TreeMap<>(values);
    this.source = source;
  }

  String text(String key, String standard) {
    String value = find(key);
    return value == null ? standard : value;
  }

  /// Reads what must be there, after all else: where it is missing, unknown keys are named first,
  /// since one of them may be this key misspelt.
  String requiredText(String key, String expected) {
    String value = find(key);
    if (value == null) {
      refuseUnknownKeys();
      throw invalid("'" + key + "' is missing; expected " + expected);
    }
    return value;
  }

  int number(String key, int standard, int min, int max) {
    String value = find(key);
    if (value == null) {
      return standard;
    }
    long number = value.matches("-?[0-9]{1,12}") ? Long.parseLong(value) : Long.MIN_VALUE;
    if (number < min || number > max) {
      throw wrongValue(key, value, "a number from " + min + " to " + max);
    }
    return (int) number;
  }

  long bytes(String key, long standard, long min, long max) {
    return amount(key, standard, min, max, BYTES, "a size such as 8MiB, from %d to %d bytes");
  }

  Duration duration(String key, Duration standard, Duration min, Duration max) {
    String expected = "a duration such as 250ms or 10m, from %d to %d ms";
    return Duration.ofMillis(
        amount(key, standard.toMillis(), min.toMillis(), max.toMillis(), MILLIS, expected));
  }

  /// All values whose key begins with the prefix, under the rest of their key, but for those that
  /// another method has read.
  Map<String, String> below(String prefix) {
    Map<String, String> found = new TreeMap<>();
    for (Map.Entry<String, String> entry : values.entrySet()) {
      if (entry.getKey().startsWith(prefix) && known.add(entry.getKey())) {
        found.put(entry.getKey().substring(prefix.length()), entry.getValue());
      }
    }
    return found;
  }

  /// @throws IcewalException INVALID if there is a key that no method was asked for
  void refuseUnknownKeys() {
    List<String> unknown = new ArrayList<>();
    for (String key : values.keySet()) {
      if (!known.contains(key)) {
        unknown.add("'" + key + "'" + suggestion(key));
      }
    }
    if (!unknown.isEmpty()) {
      throw invalid("unknown key " + String.join(", ", unknown));
    }
  }

  private @Nullable String find(String key) {
    known.add(key);
    return values.get(key);
  }

  private long amount(
      String key, long standard, long min, long max, Map<String, Long> units, String expected) {
    String value = find(key);
    if (value == null) {
      return standard;
    }
    Matcher matcher = NUMBER_AND_UNIT.matcher(value);
    Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
    long amount = unit == null ? -1 : saturated(Long.parseLong(matcher.group(1)), unit);
    if (amount < min || amount > max) {
      throw wrongValue(key, value, expected.formatted(min, max));
    }
    return amount;
  }

  private static long saturated(long number, long unit) {
    return number > Long.MAX_VALUE / unit ? Long.MAX_VALUE : number * unit;
  }

  private String suggestion(String key) {
    return known.stream()
        .min(Comparator.comparingInt(candidate -> slips(key, candidate)))
        .filter(candidate -> slips(key, candidate) <= SLIPS_MAX)
        .map(candidate -> " (did you mean '" + candidate + "'?)")
        .orElse("");
  }

  /// The number of characters to insert, delete or replace to make one text the other.
  private static int slips(String from, String to) {
    int[] above = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int[] row = new int[to.length() + 1];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replace = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replace, 1 + Math.min(above[j], row[j - 1]));
      }
      above = row;
    }
    return above[to.length()];
  }

  private IcewalException wrongValue(String key, String value, String expected) {
    return invalid("'" + key + "' is '" + value + "'; expected " + expected);
  }

  private IcewalException invalid(String message) {
    return new IcewalException(ErrorKind.INVALID, source + ": " + message);
  }
}
