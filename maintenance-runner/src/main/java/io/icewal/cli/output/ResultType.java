package io.icewal.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A type of Trino's, read from its name, such as `map(varchar, array(timestamp(6)))`.
///
/// The driver writes names of a row's fields without quotes: a name with other characters than
/// letters, digits and `_` makes the text ambiguous, and the type [#UNKNOWN].
///
/// @param name without arguments: `timestamp with time zone`, `row`
/// @param digits of a time or timestamp; else 0
/// @param arguments of arrays, maps and rows
record ResultType(String name, int digits, List<ResultType> arguments) {
  static final ResultType UNKNOWN = new ResultType("?", 0, List.of());

  private static final Pattern HEAD = Pattern.compile("[A-Za-z_]\\w*");
  private static final Pattern FIELD = Pattern.compile("\\w+ (?=[A-Za-z])");
  private static final Pattern INTERVAL = Pattern.compile("interval (day to second|year to month)");
  private static final Pattern NUMBERS = Pattern.compile("\\((\\d+)(,\\d+)?\\)");
  private static final String ZONE = " with time zone";
  private static final Set<String> STRINGS = Set.of("varchar", "char");

  static ResultType of(String text) {
    Parser parser = new Parser(text);
    try {
      ResultType type = parser.type();
      return parser.at == text.length() ? type : UNKNOWN;
    } catch (IllegalArgumentException e) {
      return UNKNOWN;
    }
  }

  boolean isString() {
    return STRINGS.contains(name);
  }

  boolean isZoned() {
    return name.endsWith(ZONE);
  }

  /// The type of what it holds, where the value says that there is such a part.
  ResultType argument(int index, int count) {
    return arguments.size() == count ? arguments.get(index) : UNKNOWN;
  }

  private static final class Parser {
    private final String text;
    private int at;

    Parser(String text) {
      this.text = text;
    }

    ResultType type() {
      Matcher interval = found(INTERVAL);
      if (interval != null) {
        return new ResultType(interval.group(), 0, List.of());
      }
      Matcher head = found(HEAD);
      if (head == null) {
        throw new IllegalArgumentException("no type at " + at + " of " + text);
      }
      String name = head.group();
      Matcher numbers = found(NUMBERS);
      if (numbers == null) {
        return new ResultType(name, 0, at("(") ? arguments(name.equals("row")) : List.of());
      }
      boolean zoned = at(ZONE);
      at += zoned ? ZONE.length() : 0;
      int digits = name.startsWith("time") ? Integer.parseInt(numbers.group(1)) : 0;
      return new ResultType(zoned ? name + ZONE : name, digits, List.of());
    }

    private List<ResultType> arguments(boolean fields) {
      List<ResultType> arguments = new ArrayList<>();
      do {
        at++; // '(' or ','
        while (at(" ")) {
          at++;
        }
        // An interval without a name looks like a field of that name.
        if (fields && !INTERVAL.matcher(text).region(at, text.length()).lookingAt()) {
          found(FIELD);
        }
        arguments.add(type());
      } while (at(","));
      if (!at(")")) {
        throw new IllegalArgumentException("no end at " + at + " of " + text);
      }
      at++;
      return arguments;
    }

    private boolean at(String next) {
      return text.startsWith(next, at);
    }

    private @Nullable Matcher found(Pattern pattern) {
      Matcher matcher = pattern.matcher(text).region(at, text.length());
      if (!matcher.lookingAt()) {
        return null;
      }
      at = matcher.end();
      return matcher;
    }
  }
}
