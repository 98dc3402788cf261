package io.icewal.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.CCJSqlParserUtil;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.parser.TokenMgrException;

/// Parses one predicate with JSqlParser.
///
/// What it is given has neither parentheses nor names nor texts in it: a name stands as `c0`, `c1`,
/// …, a text as `'s0'`, `'s1'`, …, and bytes as `X'00'`, `X'01'`, …; [PredicateBinder] puts back
/// what they stand for. So no name and no text can be mistaken for a keyword or an escape, and
/// nothing is nested.
final class PredicateParser {
  /// Longer predicates (lists apart) are hostile.
  private static final int TOKENS_MAX = 64;

  private static final Set<String> KEYWORDS =
      Set.of("NOT", "IN", "LIKE", "BETWEEN", "AND", "OR", "IS", "NULL", "TRUE", "FALSE");

  private static final Set<String> LITERAL_WORDS = Set.of("DATE", "TIME", "TIMESTAMP", "UUID");

  private static final Set<String> OPERATORS = Set.of("=", "<>", "!=", "<", "<=", ">", ">=", ",");

  private final Columns columns;

  PredicateParser(Columns columns) {
    this.columns = columns;
  }

  Node parse(List<Token> tokens) {
    for (int i = 0; i + 1 < tokens.size(); i++) {
      if (tokens.get(i).is("IN") && tokens.get(i + 1).is("(") && !isNamePart(tokens, i)) {
        return in(tokens, i);
      }
    }
    List<Token> plain = withoutParentheses(tokens);
    Operands operands = new Operands();
    Expression expression = expression(plain, operands);
    return new PredicateBinder(columns, operands, plain.get(0).start()).node(expression);
  }

  /// `operand [NOT] IN (item, …)`
  private Node in(List<Token> tokens, int in) {
    boolean negated = in > 0 && tokens.get(in - 1).is("NOT");
    List<Token> left = tokens.subList(0, negated ? in - 1 : in);
    Token last = tokens.get(tokens.size() - 1);
    if (left.isEmpty() || !last.is(")")) {
      throw Refusal.of(tokens.get(in).start(), "IN needs a column before it and one list after it");
    }
    List<RawLiteral> items = new ArrayList<>();
    List<Token> item = new ArrayList<>();
    int depth = 0;
    for (Token token : tokens.subList(in + 2, tokens.size())) {
      boolean isLast = token.start() == last.start();
      if (depth == 0 && (token.is(",") || isLast)) {
        items.add(literal(item, token));
        item = new ArrayList<>();
      } else {
        depth += token.is("(") ? 1 : token.is(")") ? -1 : 0;
        item.add(token);
      }
    }
    if (!item.isEmpty()) {
      throw Refusal.of(item.get(0).start(), "saw '" + item.get(0).text() + "' behind the list");
    }
    List<Token> plain = withoutParentheses(left);
    Operands operands = new Operands();
    Expression expression = expression(plain, operands);
    PredicateBinder binder = new PredicateBinder(columns, operands, plain.get(0).start());
    Node node = binder.in(expression, items);
    return negated ? new Node.Not(node) : node;
  }

  private RawLiteral literal(List<Token> item, Token end) {
    if (item.isEmpty()) {
      throw Refusal.of(end.start(), "a value of the list is missing");
    }
    if (item.size() == 1 && item.get(0).kind() == Token.Kind.STRING) {
      return new RawLiteral.Text("", Operands.text(item.get(0)));
    }
    if (item.size() == 1 && item.get(0).kind() == Token.Kind.NUMBER) {
      return LiteralBinder.number(item.get(0).text(), item.get(0).start());
    }
    List<Token> plain = withoutParentheses(item);
    Operands operands = new Operands();
    Expression expression = expression(plain, operands);
    return new LiteralBinder(operands, plain.get(0).start()).literal(expression);
  }

  /// Drops parentheses around single operands; refuses any other.
  private static List<Token> withoutParentheses(List<Token> tokens) {
    List<Token> plain = new ArrayList<>();
    int depth = 0;
    for (Token token : tokens) {
      if (token.is("(")) {
        depth++;
      } else if (token.is(")")) {
        depth--;
      } else {
        boolean operator =
            token.kind() == Token.Kind.SYMBOL
                ? OPERATORS.contains(token.text())
                : token.is("AND") || token.is("OR") || token.is("NOT") || token.is("IS");
        if (depth > 0 && operator) {
          throw Refusal.of(
              token.start(),
              "a condition in parentheses cannot be compared, saw '"
                  + token.text()
                  + "' in one; write (…) IS TRUE");
        }
        plain.add(token);
      }
    }
    if (plain.isEmpty()) {
      throw Refusal.of(tokens.get(0).start(), "nothing stands in the parentheses");
    }
    if (plain.size() > TOKENS_MAX) {
      throw Refusal.of(
          plain.get(TOKENS_MAX).start(), "a comparison of more than " + TOKENS_MAX + " words");
    }
    return plain;
  }

  private static Expression expression(List<Token> tokens, Operands operands) {
    String text = text(tokens, operands);
    try {
      CCJSqlParser parser = CCJSqlParserUtil.newParser(text).withAllowComplexParsing(false);
      Expression expression = parser.Expression();
      if (parser.getNextToken().kind == net.sf.jsqlparser.parser.CCJSqlParserConstants.EOF) {
        return expression;
      }
    } catch (ParseException | TokenMgrException e) {
      throw Refusal.of(tokens.get(0).start(), "saw '" + original(tokens) + "'", e);
    }
    throw Refusal.of(tokens.get(0).start(), "saw '" + original(tokens) + "'");
  }

  static String original(List<Token> tokens) {
    String text = String.join(" ", tokens.stream().map(Token::text).toList());
    return text.length() > 80 ? text.substring(0, 80) + "…" : text;
  }

  private static String text(List<Token> tokens, Operands operands) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      Token next = tokens.get(Math.min(i + 1, tokens.size() - 1));
      boolean beforeText = i + 1 < tokens.size() && next.kind() == Token.Kind.STRING;
      if (beforeText && token.is("X") && next.start() == token.start() + 1) {
        out.append(" X'").append(operands.addHex(next)).append('\'');
        i++;
      } else if (token.kind() == Token.Kind.STRING) {
        out.append(" '").append(operands.addText(token)).append('\'');
      } else if (!token.isName() || isKeyword(tokens, i, beforeText)) {
        out.append(' ').append(token.text());
      } else {
        int end = endOfName(tokens, i);
        out.append(' ').append(operands.addName(tokens.subList(i, end)));
        i = end - 1;
      }
    }
    return out.toString();
  }

  private static boolean isKeyword(List<Token> tokens, int i, boolean beforeText) {
    Token token = tokens.get(i);
    if (token.kind() != Token.Kind.WORD || isNamePart(tokens, i)) {
      return false;
    }
    boolean afterText = i > 0 && tokens.get(i - 1).kind() == Token.Kind.STRING;
    boolean afterIs = i > 0 && (tokens.get(i - 1).is("IS") || tokens.get(i - 1).is("NOT"));
    return KEYWORDS.contains(token.upper())
        || (beforeText && LITERAL_WORDS.contains(token.upper()))
        || (afterText && token.is("ESCAPE"))
        || (afterIs && token.is("UNKNOWN"));
  }

  private static boolean isNamePart(List<Token> tokens, int i) {
    return (i > 0 && tokens.get(i - 1).is("."))
        || (i + 1 < tokens.size() && tokens.get(i + 1).is("."));
  }

  /// The index behind a dotted name.
  private static int endOfName(List<Token> tokens, int start) {
    int end = start + 1;
    while (end < tokens.size() && tokens.get(end).is(".")) {
      if (end + 1 == tokens.size() || !tokens.get(end + 1).isName()) {
        throw Refusal.of(tokens.get(end).start(), "a name is missing behind '.'");
      }
      end += 2;
    }
    return end;
  }
}
