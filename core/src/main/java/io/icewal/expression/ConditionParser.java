package io.icewal.expression;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;

/// Finds the structure of a condition: AND, OR, NOT and parentheses.
///
/// Each predicate between them is parsed by JSqlParser ([PredicateParser]). The structure is not
/// left to it, because its look-ahead takes exponential time on nested parentheses, and a condition
/// comes from anybody. Here, depth is bounded and time is linear.
final class ConditionParser {
  static final int DEPTH_MAX = 64;

  /// Words that may stand before a parenthesis without being the name of a function.
  private static final Set<String> BEFORE_PARENTHESIS =
      Set.of("AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "IS", "ESCAPE");

  private final List<Token> tokens;
  private final int[] closing;
  private final PredicateParser predicates;
  private int at;

  private ConditionParser(List<Token> tokens, Schema schema) {
    this.tokens = tokens;
    this.closing = closing(tokens);
    this.predicates = new PredicateParser(new Columns(schema));
  }

  static Node parse(String sql, Schema schema) {
    ConditionParser parser = new ConditionParser(Tokens.of(sql), schema);
    Node node = parser.or();
    Token rest = parser.peek();
    if (rest.kind() != Token.Kind.END) {
      throw Refusal.of(rest.start(), "saw '" + rest.text() + "' behind the condition");
    }
    return node;
  }

  /// For each opening parenthesis the index of the one that closes it.
  private static int[] closing(List<Token> tokens) {
    int[] closing = new int[tokens.size()];
    Deque<Integer> open = new ArrayDeque<>();
    for (int i = 0; i < closing.length; i++) {
      Token token = tokens.get(i);
      if (token.is("(")) {
        open.push(i);
        if (open.size() > DEPTH_MAX) {
          throw Refusal.of(token.start(), "more than " + DEPTH_MAX + " nested parentheses");
        }
      } else if (token.is(")")) {
        if (open.isEmpty()) {
          throw Refusal.of(token.start(), "')' without '('");
        }
        closing[open.pop()] = i;
      }
    }
    if (!open.isEmpty()) {
      throw Refusal.of(tokens.get(open.pop()).start(), "'(' without ')'");
    }
    return closing;
  }

  private Token peek() {
    return tokens.get(at);
  }

  private boolean skip(String symbolOrKeyword) {
    boolean found = peek().is(symbolOrKeyword);
    at += found ? 1 : 0;
    return found;
  }

  private Node or() {
    List<Node> parts = new ArrayList<>();
    do {
      parts.add(and());
    } while (skip("OR"));
    return parts.size() == 1 ? parts.get(0) : new Node.Junction(false, parts);
  }

  private Node and() {
    List<Node> parts = new ArrayList<>();
    do {
      parts.add(not());
    } while (skip("AND"));
    return parts.size() == 1 ? parts.get(0) : new Node.Junction(true, parts);
  }

  private Node not() {
    boolean negated = false;
    while (skip("NOT")) {
      negated = !negated;
    }
    Node node = isGroup() ? group() : predicate();
    return negated ? new Node.Not(node) : node;
  }

  /// Whether a condition stands in the parentheses, and not a column or a literal.
  private boolean isGroup() {
    if (!peek().is("(")) {
      return false;
    }
    int next = closing[at] + 1;
    Token token = tokens.get(next);
    if (token.is("IS")) {
      Token value = tokens.get(tokens.get(next + 1).is("NOT") ? next + 2 : next + 1);
      return !value.is("NULL");
    }
    return token.kind() == Token.Kind.END || token.is(")") || token.is("AND") || token.is("OR");
  }

  private Node group() {
    at++;
    Node node = or();
    if (!skip(")")) {
      throw Refusal.of(peek().start(), "saw '" + peek().text() + "', expected ')'");
    }
    return skip("IS") ? is(node) : node;
  }

  private Node is(Node node) {
    boolean negated = skip("NOT");
    Token token = peek();
    at++;
    Node.Constant value =
        switch (token.upper()) {
          case "TRUE" -> Node.Constant.TRUE;
          case "FALSE" -> Node.Constant.FALSE;
          case "UNKNOWN" -> Node.Constant.UNKNOWN;
          default ->
              throw Refusal.of(
                  token.start(), "saw '" + token.text() + "', expected TRUE, FALSE or UNKNOWN");
        };
    Node is = new Node.Is(node, value);
    return negated ? new Node.Not(is) : is;
  }

  /// Everything up to the next AND, OR or closing parenthesis; BETWEEN has an AND of its own.
  private Node predicate() {
    int start = at;
    boolean between = false;
    while (true) {
      Token token = peek();
      if (token.is("(")) {
        checkBeforeParenthesis(start);
        at = closing[at];
      } else if (token.is("BETWEEN")) {
        between = true;
      } else if (token.is("AND") && between) {
        between = false;
      } else if (endsPredicate(token)) {
        break;
      }
      at++;
    }
    if (at == start) {
      String seen = peek().kind() == Token.Kind.END ? "the end" : "'" + peek().text() + "'";
      throw Refusal.of(peek().start(), "saw " + seen + ", expected a comparison");
    }
    return predicates.parse(tokens.subList(start, at));
  }

  private static boolean endsPredicate(Token token) {
    return token.kind() == Token.Kind.END || token.is(")") || token.is("AND") || token.is("OR");
  }

  private void checkBeforeParenthesis(int predicateStart) {
    Token inside = tokens.get(at + 1);
    if (inside.is("SELECT") || inside.is("WITH")) {
      throw Refusal.of(
          inside.start(), "subqueries are not supported, saw '(" + inside.text() + "'");
    }
    if (at > predicateStart) {
      Token before = tokens.get(at - 1);
      boolean keyword =
          before.kind() == Token.Kind.WORD && BEFORE_PARENTHESIS.contains(before.upper());
      if (before.isName() && !keyword) {
        throw Refusal.of(
            before.start(), "functions are not supported, saw '" + before.text() + "('");
      }
    }
  }
}
