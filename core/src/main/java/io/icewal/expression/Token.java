package io.icewal.expression;

import java.util.Locale;

/// One token of a condition.
///
/// @param kind what it is
/// @param text its text as it stands in the condition, quotes included
/// @param start index of its first character
record Token(Kind kind, String text, int start) {
  enum Kind {
    /// An unquoted word: a name or a keyword.
    WORD,
    /// A name in double quotes or backticks.
    QUOTED,
    STRING,
    NUMBER,
    SYMBOL,
    END
  }

  boolean is(String symbolOrKeyword) {
    return switch (kind) {
      case WORD -> text.equalsIgnoreCase(symbolOrKeyword);
      case SYMBOL -> text.equals(symbolOrKeyword);
      default -> false;
    };
  }

  boolean isName() {
    return kind == Kind.WORD || kind == Kind.QUOTED;
  }

  String upper() {
    return text.toUpperCase(Locale.ROOT);
  }

  /// A name without its quotes.
  String name() {
    if (kind != Kind.QUOTED) {
      return text;
    }
    String quote = text.substring(0, 1);
    return text.substring(1, text.length() - 1).replace(quote + quote, quote);
  }
}
