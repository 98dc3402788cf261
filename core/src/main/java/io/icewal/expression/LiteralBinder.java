package io.icewal.expression;

import java.math.BigDecimal;
import java.util.HexFormat;
import java.util.Locale;
import net.sf.jsqlparser.expression.BooleanValue;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.DoubleValue;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.HexValue;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.StringValue;

/// Finds the literals in what JSqlParser made of one predicate.
final class LiteralBinder {
  private final Operands operands;
  private final int at;

  /// @param at where the predicate begins, for messages
  LiteralBinder(Operands operands, int at) {
    this.operands = operands;
    this.at = at;
  }

  static boolean isColumn(Expression expression) {
    return expression instanceof net.sf.jsqlparser.schema.Column;
  }

  RawLiteral literal(Expression expression) {
    if (expression instanceof StringValue text) {
      return new RawLiteral.Text("", operands.text(text.getValue()));
    }
    if (expression instanceof LongValue number) {
      return number(number.getStringValue(), at);
    }
    if (expression instanceof DoubleValue number) {
      return number(number.toString(), at);
    }
    if (expression instanceof SignedExpression signed) {
      RawLiteral literal = literal(signed.getExpression());
      if (literal instanceof RawLiteral.Decimal number) {
        return signed.getSign() == '-' ? new RawLiteral.Decimal(number.value().negate()) : number;
      }
    }
    if (expression instanceof NullValue) {
      return new RawLiteral.Null();
    }
    if (expression instanceof BooleanValue bool) {
      return new RawLiteral.Bool(bool.getValue());
    }
    if (expression instanceof HexValue hex) {
      return new RawLiteral.Hex(HexFormat.of().parseHex(operands.text(hex)));
    }
    if (expression instanceof CastExpression cast
        && cast.getLeftExpression() instanceof StringValue text) {
      return new RawLiteral.Text(
          cast.getColDataType().toString().trim().toUpperCase(Locale.ROOT),
          operands.text(text.getValue()));
    }
    throw Refusal.of(at, "expected a literal, saw " + shown(expression));
  }

  static RawLiteral number(String text, int at) {
    try {
      return new RawLiteral.Decimal(LiteralTypes.checked(new BigDecimal(text)));
    } catch (NumberFormatException e) {
      throw Refusal.of(at, "'" + text + "' is no number", e);
    } catch (IllegalArgumentException e) {
      throw Refusal.of(at, e.getMessage(), e);
    }
  }

  /// What an expression is, in words, since its own text has placeholders in it.
  String shown(Expression expression) {
    if (isColumn(expression)) {
      net.sf.jsqlparser.schema.Column column = (net.sf.jsqlparser.schema.Column) expression;
      if (column.getTable() == null) {
        return "column '"
            + String.join(
                ".", operands.name(column.getColumnName()).stream().map(Token::name).toList())
            + "'";
      }
    }
    if (expression instanceof StringValue
        || expression instanceof LongValue
        || expression instanceof DoubleValue) {
      return literal(expression).describe();
    }
    return switch (expression.getClass().getSimpleName()) {
      case "Addition", "Subtraction", "Multiplication", "Division", "SignedExpression" ->
          "arithmetic, which is not supported";
      default -> "a " + expression.getClass().getSimpleName();
    };
  }
}
