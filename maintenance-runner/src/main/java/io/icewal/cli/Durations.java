package io.icewal.cli;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads durations such as `250ms`, `30s`, `5m`, `2h`.
final class Durations implements ITypeConverter<Duration> {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1000L, "m", 60_000L, "h", 3_600_000L);

  @Override
  public Duration convert(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a duration such as 250ms, 30s, 5m, 2h");
    }
    long unit = MILLIS.getOrDefault(matcher.group(2), 1L);
    return Duration.ofMillis(Long.parseLong(matcher.group(1)) * unit);
  }
}
