package io.icewal.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Cuts a condition into tokens. Linear in its length, which is bounded.
final class Tokens {
  static final int CHARS_MAX = 1 << 20;
  static final int TOKENS_MAX = 100_000;

  private static final Pattern NUMBER =
      Pattern.compile("(\\d++(\\.\\d*+)?+|\\.\\d++)([eE][+-]?+\\d++)?+");

  private final String sql;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  private Tokens(String sql) {
    this.sql = sql;
  }

  /// The tokens: at least one, the last of kind END.
  static List<Token> of(String sql) {
    if (sql.length() > CHARS_MAX) {
      throw Refusal.of(
          0, "the condition has " + sql.length() + " characters, at most " + CHARS_MAX + " may be");
    }
    Tokens tokens = new Tokens(sql);
    while (tokens.next()) {
      if (tokens.tokens.size() > TOKENS_MAX) {
        throw Refusal.of(
            tokens.at, "the condition has more than " + TOKENS_MAX + " words and signs");
      }
    }
    tokens.add(Token.Kind.END, sql.length());
    return tokens.tokens;
  }

  private boolean next() {
    while (at < sql.length() && Character.isWhitespace(sql.charAt(at))) {
      at++;
    }
    if (at == sql.length()) {
      return false;
    }
    char c = sql.charAt(at);
    if (c == '\'') {
      add(Token.Kind.STRING, quoted(c));
    } else if (c == '"' || c == '`') {
      int end = quoted(c);
      if (end == at + 2) {
        throw Refusal.of(at, "a name in quotes is empty");
      }
      add(Token.Kind.QUOTED, end);
    } else if (isNumberStart()) {
      number();
    } else if (isWordPart(sql.codePointAt(at))) {
      add(Token.Kind.WORD, word());
    } else {
      symbol();
    }
    return true;
  }

  private void add(Token.Kind kind, int end) {
    tokens.add(new Token(kind, sql.substring(at, end), at));
    at = end;
  }

  /// The index behind the closing quote; a doubled quote stands for itself.
  private int quoted(char quote) {
    int end = at + 1;
    while (true) {
      end = sql.indexOf(quote, end);
      if (end < 0) {
        throw Refusal.of(at, "the closing " + quote + " is missing");
      }
      if (end + 1 == sql.length() || sql.charAt(end + 1) != quote) {
        return end + 1;
      }
      end += 2;
    }
  }

  private boolean isNumberStart() {
    char c = sql.charAt(at);
    boolean afterName = !tokens.isEmpty() && tokens.get(tokens.size() - 1).is(".");
    return !afterName
        && (isDigit(c) || (c == '.' && at + 1 < sql.length() && isDigit(sql.charAt(at + 1))));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /// A number, or a name that begins with a digit.
  private void number() {
    Matcher matcher = NUMBER.matcher(sql).region(at, sql.length());
    int end = matcher.lookingAt() ? matcher.end() : at;
    if (end == at || (end < sql.length() && isWordPart(sql.codePointAt(end)))) {
      add(Token.Kind.WORD, word());
    } else {
      add(Token.Kind.NUMBER, end);
    }
  }

  private int word() {
    int end = at;
    while (end < sql.length() && isWordPart(sql.codePointAt(end))) {
      end += Character.charCount(sql.codePointAt(end));
    }
    if (end == at) {
      throw Refusal.of(at, "'" + sql.charAt(at) + "' is not understood");
    }
    return end;
  }

  private static boolean isWordPart(int c) {
    return Character.isLetterOrDigit(c)
        || c == '_'
        || c == '$'
        || (c > 0x7F && !Character.isWhitespace(c) && !Character.isISOControl(c));
  }

  private void symbol() {
    String two = sql.substring(at, Math.min(sql.length(), at + 2));
    switch (two) {
      case "<>", "!=", "<=", ">=" -> {
        add(Token.Kind.SYMBOL, at + 2);
        return;
      }
      case "--", "/*" -> throw Refusal.of(at, "comments are not supported");
      case "==" -> throw Refusal.of(at, "saw '==', write '='");
      default -> {}
    }
    char c = sql.charAt(at);
    if ("()=<>,.+-".indexOf(c) < 0) {
      throw Refusal.of(at, "'" + c + "' is not supported");
    }
    add(Token.Kind.SYMBOL, at + 1);
  }
}
