package io.icewal.protocol;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.Locale;

/// Reads words, numbers and signs from one line of text that a person typed, and says where it does
/// not go on. Not thread-safe.
final class TextScanner {
  private final String what;
  private final String text;
  private int at;

  /// @param what what the text is, for messages, such as `columns`
  TextScanner(String what, String text) {
    this.what = what;
    this.text = text;
    skipBlanks();
  }

  boolean atEnd() {
    return at == text.length();
  }

  /// Takes the sign if it is next.
  boolean take(char sign) {
    if (atEnd() || text.charAt(at) != sign) {
      return false;
    }
    at++;
    skipBlanks();
    return true;
  }

  void expect(char sign) {
    if (!take(sign)) {
      throw unexpected("'" + sign + "'");
    }
  }

  /// Takes the word, in any case, if it is next.
  boolean takeWord(String word) {
    int end = at + word.length();
    boolean same = text.regionMatches(true, at, word, 0, word.length());
    if (!same || (end < text.length() && isWordPart(text.charAt(end)))) {
      return false;
    }
    at = end;
    skipBlanks();
    return true;
  }

  /// A name: letters, digits, `_`, `$` and characters beyond ASCII, or anything between double
  /// quotes or backticks (doubled inside).
  String name() {
    if (!atEnd() && (text.charAt(at) == '"' || text.charAt(at) == '`')) {
      return quoted(text.charAt(at));
    }
    int start = at;
    while (!atEnd() && isWordPart(text.charAt(at))) {
      at++;
    }
    if (start == at) {
      throw unexpected("a name");
    }
    String name = text.substring(start, at);
    skipBlanks();
    return name;
  }

  /// A word of the grammar, in lower case.
  String keyword() {
    return name().toLowerCase(Locale.ROOT);
  }

  int number() {
    int start = at;
    while (!atEnd() && Character.isDigit(text.charAt(at)) && at - start < 9) {
      at++;
    }
    if (start == at) {
      throw unexpected("a number");
    }
    int number = Integer.parseInt(text.substring(start, at));
    skipBlanks();
    return number;
  }

  IcewalException unexpected(String expected) {
    String seen = atEnd() ? "the end" : "'" + text.substring(at, Math.min(at + 20, length())) + "'";
    return new IcewalException(
        ErrorKind.INVALID,
        what + ": expected " + expected + " at character " + (at + 1) + ", found " + seen);
  }

  private int length() {
    return text.length();
  }

  private String quoted(char quote) {
    StringBuilder name = new StringBuilder();
    at++;
    while (true) {
      if (atEnd()) {
        throw unexpected("a closing " + quote);
      }
      char c = text.charAt(at++);
      if (c != quote) {
        name.append(c);
      } else if (!atEnd() && text.charAt(at) == quote) {
        name.append(quote);
        at++;
      } else {
        skipBlanks();
        return name.toString();
      }
    }
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$' || Character.isSurrogate(c);
  }

  private void skipBlanks() {
    while (!atEnd() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }
}
