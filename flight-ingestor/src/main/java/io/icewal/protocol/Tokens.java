package io.icewal.protocol;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The words, quoted names, numbers and signs of a column or partition text, taken one by one.
final class Tokens {
  /// @param quoted whether it stood in quotes, so that it is a name and never a keyword
  private record Token(String text, boolean quoted) {}

  private final String source;
  private final List<Token> tokens = new ArrayList<>();
  private int next;

  Tokens(String source) {
    this.source = source;
    int at = 0;
    while (at < source.length()) {
      at = Character.isWhitespace(source.charAt(at)) ? at + 1 : scan(at);
    }
  }

  private int scan(int start) {
    char first = source.charAt(start);
    if (first == '"' || first == '`') {
      return scanQuoted(start, first);
    }
    int end = start;
    while (end < source.length() && isWordPart(source.charAt(end))) {
      end++;
    }
    end = Math.max(end, start + 1);
    tokens.add(new Token(source.substring(start, end), false));
    return end;
  }

  private int scanQuoted(int start, char quote) {
    StringBuilder name = new StringBuilder();
    int at = start + 1;
    while (at < source.length()) {
      if (source.charAt(at) != quote) {
        name.append(source.charAt(at++));
      } else if (at + 1 < source.length() && source.charAt(at + 1) == quote) {
        name.append(quote);
        at += 2;
      } else {
        tokens.add(new Token(name.toString(), true));
        return at + 1;
      }
    }
    throw new IcewalException(ErrorKind.INVALID, "quote without an end in '" + source + "'");
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$';
  }

  boolean isEmpty() {
    return next == tokens.size();
  }

  /// Takes the next token if it is this sign or keyword.
  boolean take(String expected) {
    if (isEmpty()
        || tokens.get(next).quoted()
        || !tokens.get(next).text().equalsIgnoreCase(expected)) {
      return false;
    }
    next++;
    return true;
  }

  void expect(String expected) {
    if (!take(expected)) {
      throw error("'" + expected + "'");
    }
  }

  /// Takes a name, quoted or not.
  String name() {
    if (isEmpty()
        || !(tokens.get(next).quoted() || isWordPart(tokens.get(next).text().charAt(0)))) {
      throw error(
          "a name (in double quotes if it has other characters than letters, digits, _ or $)");
    }
    return tokens.get(next++).text();
  }

  /// Takes a keyword, in lower case.
  String word() {
    if (isEmpty() || tokens.get(next).quoted() || !isWordPart(tokens.get(next).text().charAt(0))) {
      throw error("a word");
    }
    return tokens.get(next++).text().toLowerCase(Locale.ROOT);
  }

  int number() {
    if (!isEmpty() && !tokens.get(next).quoted()) {
      try {
        int number = Integer.parseInt(tokens.get(next).text());
        next++;
        return number;
      } catch (NumberFormatException e) {
        throw error("a number");
      }
    }
    throw error("a number");
  }

  /// Whether the next token is a number.
  boolean atNumber() {
    return !isEmpty()
        && !tokens.get(next).quoted()
        && tokens.get(next).text().chars().allMatch(c -> c >= '0' && c <= '9');
  }

  IcewalException error(String expected) {
    String seen = isEmpty() ? "the end" : "'" + tokens.get(next).text() + "'";
    return new IcewalException(
        ErrorKind.INVALID, "expected " + expected + " but found " + seen + " in '" + source + "'");
  }
}
