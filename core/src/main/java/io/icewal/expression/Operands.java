package io.icewal.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.sf.jsqlparser.expression.HexValue;

/// What the placeholders of one predicate stand for: `c0`, `c1`, … for names, `s0`, `s1`, … for
/// texts.
final class Operands {
  private final List<List<Token>> names = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();

  /// Notes a name and gives its placeholder.
  String addName(List<Token> parts) {
    names.add(
        IntStream.range(0, parts.size()).filter(i -> i % 2 == 0).mapToObj(parts::get).toList());
    return "c" + (names.size() - 1);
  }

  /// Notes a text and gives its placeholder.
  String addText(Token token) {
    texts.add(text(token));
    return "s" + (texts.size() - 1);
  }

  List<Token> name(String placeholder) {
    return names.get(Integer.parseInt(placeholder.substring(1)));
  }

  String text(String placeholder) {
    return texts.get(Integer.parseInt(placeholder.substring(1)));
  }

  /// A text without its quotes.
  static String text(Token token) {
    String quoted = token.text();
    return quoted.substring(1, quoted.length() - 1).replace("''", "'");
  }

  /// Notes the digits of an `X'…'` and gives their placeholder, hexadecimal digits too.
  String addHex(Token token) {
    texts.add(hex(token));
    return "%04x".formatted(texts.size() - 1);
  }

  /// The digits that a placeholder stands for.
  String text(HexValue placeholder) {
    // JSqlParser takes a blank behind the quote for a part of the value.
    return texts.get(Integer.parseInt(placeholder.getValue().substring(2, 6), 16));
  }

  private static String hex(Token token) {
    String digits = text(token);
    if (digits.length() % 2 != 0 || !digits.chars().allMatch(c -> Character.digit(c, 16) >= 0)) {
      throw Refusal.of(token.start(), "X'…' needs pairs of hexadecimal digits");
    }
    return digits;
  }
}
