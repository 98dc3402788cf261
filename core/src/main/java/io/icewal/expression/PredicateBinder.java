package io.icewal.expression;

import io.icewal.expression.Values.IntegerPoint;
import io.icewal.expression.Values.Point;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.NotExpression;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.ComparisonOperator;
import net.sf.jsqlparser.expression.operators.relational.IsBooleanExpression;
import net.sf.jsqlparser.expression.operators.relational.IsNullExpression;
import net.sf.jsqlparser.expression.operators.relational.IsUnknownExpression;
import net.sf.jsqlparser.expression.operators.relational.LikeExpression;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/// Binds what JSqlParser made of one predicate to the columns of the table.
final class PredicateBinder {
  private final Columns columns;
  private final Operands operands;
  private final LiteralBinder literals;
  private final int at;

  /// @param at where the predicate begins, for messages
  PredicateBinder(Columns columns, Operands operands, int at) {
    this.columns = columns;
    this.operands = operands;
    this.literals = new LiteralBinder(operands, at);
    this.at = at;
  }

  Node node(Expression expression) {
    if (expression instanceof ComparisonOperator comparison) {
      return comparison(
          comparison.getLeftExpression(),
          op(comparison.getStringExpression()),
          comparison.getRightExpression());
    }
    if (expression instanceof Between between) {
      return between(between);
    }
    if (expression instanceof LikeExpression like) {
      return like(like);
    }
    if (expression instanceof IsNullExpression isNull) {
      Node node = new Predicate.IsNull(column(isNull.getLeftExpression()));
      return isNull.isNot() ? new Node.Not(node) : node;
    }
    if (expression instanceof IsBooleanExpression is) {
      Node.Constant value = is.isTrue() ? Node.Constant.TRUE : Node.Constant.FALSE;
      Node node = new Node.Is(node(is.getLeftExpression()), value);
      return is.isNot() ? new Node.Not(node) : node;
    }
    if (expression instanceof IsUnknownExpression is) {
      Node node = new Node.Is(node(is.getLeftExpression()), Node.Constant.UNKNOWN);
      return is.isNot() ? new Node.Not(node) : node;
    }
    if (expression instanceof NotExpression not) {
      return new Node.Not(node(not.getExpression()));
    }
    return bool(expression);
  }

  private ComparisonOp op(String sql) {
    return switch (sql) {
      case "=" -> ComparisonOp.EQ;
      case "<>", "!=" -> ComparisonOp.NE;
      case "<" -> ComparisonOp.LT;
      case "<=" -> ComparisonOp.LE;
      case ">" -> ComparisonOp.GT;
      case ">=" -> ComparisonOp.GE;
      default -> throw refuse("operator " + sql + " is not supported");
    };
  }

  /// A boolean column or literal that stands for itself.
  private Node bool(Expression expression) {
    if (isColumn(expression)) {
      Column column = column(expression);
      if (column.type().typeId() != Type.TypeID.BOOLEAN) {
        throw refuse(
            "column '"
                + column.name()
                + "' of type "
                + Columns.shortType(column.type())
                + " is no condition");
      }
      return new Predicate.Compare(column, ComparisonOp.EQ, new IntegerPoint(1, 0));
    }
    RawLiteral literal = literal(expression);
    if (literal instanceof RawLiteral.Bool bool) {
      return bool.value() ? Node.Constant.TRUE : Node.Constant.FALSE;
    }
    if (literal instanceof RawLiteral.Null) {
      return Node.Constant.UNKNOWN;
    }
    throw refuse(literal.describe() + " is no condition");
  }

  private Node comparison(Expression left, ComparisonOp op, Expression right) {
    if (isColumn(left) && isColumn(right)) {
      return columns(column(left), op, column(right));
    }
    if (isColumn(left)) {
      return compare(column(left), op, literal(right));
    }
    if (isColumn(right)) {
      return compare(column(right), op.flipped(), literal(left));
    }
    return constant(literal(left), op, literal(right));
  }

  private Node compare(Column column, ComparisonOp op, RawLiteral literal) {
    Point point = point(column, literal);
    return point == null ? Node.Constant.UNKNOWN : new Predicate.Compare(column, op, point);
  }

  /// @return null for NULL
  private @Nullable Point point(Column column, RawLiteral literal) {
    checkComparable(column);
    if (literal instanceof RawLiteral.Null) {
      return null;
    }
    try {
      return LiteralTypes.point(literal, column.type());
    } catch (IllegalArgumentException e) {
      throw Refusal.of(at, "column '" + column.name() + "': " + e.getMessage(), e);
    }
  }

  private void checkComparable(Column column) {
    boolean comparable =
        switch (column.type().typeId()) {
          case BOOLEAN,
              INTEGER,
              LONG,
              FLOAT,
              DOUBLE,
              DECIMAL,
              DATE,
              TIME,
              TIMESTAMP,
              TIMESTAMP_NANO,
              STRING,
              UUID,
              FIXED,
              BINARY ->
              true;
          default -> false;
        };
    if (!comparable) {
      throw refuse(
          "column '"
              + column.name()
              + "' of type "
              + Columns.shortType(column.type())
              + " cannot be compared, only IS NULL is possible");
    }
  }

  private Node columns(Column left, ComparisonOp op, Column right) {
    checkComparable(left);
    checkComparable(right);
    if (!sameOrder(left.type(), right.type())) {
      throw refuse(
          "columns '"
              + left.name()
              + "' of type "
              + left.type()
              + " and '"
              + right.name()
              + "' of type "
              + right.type()
              + " cannot be compared");
    }
    return new Predicate.CompareColumns(left, op, right);
  }

  private static boolean sameOrder(Type left, Type right) {
    if (left instanceof Types.DecimalType a && right instanceof Types.DecimalType b) {
      return a.scale() == b.scale();
    }
    return left.equals(right) || (number(left) != 0 && number(left) == number(right));
  }

  private static int number(Type type) {
    return switch (type.typeId()) {
      case INTEGER, LONG -> 1;
      case FLOAT, DOUBLE -> 2;
      default -> 0;
    };
  }

  private Node constant(RawLiteral left, ComparisonOp op, RawLiteral right) {
    if (left instanceof RawLiteral.Null || right instanceof RawLiteral.Null) {
      return Node.Constant.UNKNOWN;
    }
    int order;
    if (left instanceof RawLiteral.Decimal a && right instanceof RawLiteral.Decimal b) {
      order = a.value().compareTo(b.value());
    } else if (left instanceof RawLiteral.Text a && right instanceof RawLiteral.Text b) {
      order = compareText(a, b);
    } else {
      throw refuse(left.describe() + " and " + right.describe() + " cannot be compared");
    }
    return op.test(order) ? Node.Constant.TRUE : Node.Constant.FALSE;
  }

  private int compareText(RawLiteral.Text left, RawLiteral.Text right) {
    if (!left.word().isEmpty() || !right.word().isEmpty()) {
      throw refuse(left.describe() + " and " + right.describe() + " cannot be compared");
    }
    return Arrays.compareUnsigned(
        left.value().getBytes(java.nio.charset.StandardCharsets.UTF_8),
        right.value().getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  private Node between(Between between) {
    Expression value = between.getLeftExpression();
    Node node =
        new Node.Junction(
            true,
            List.of(
                comparison(value, ComparisonOp.GE, between.getBetweenExpressionStart()),
                comparison(value, ComparisonOp.LE, between.getBetweenExpressionEnd())));
    return between.isNot() ? new Node.Not(node) : node;
  }

  private Node like(LikeExpression like) {
    if (like.getLikeKeyWord() != LikeExpression.KeyWord.LIKE) {
      throw refuse(like.getLikeKeyWord() + " is not supported");
    }
    Column column = column(like.getLeftExpression());
    if (column.type().typeId() != Type.TypeID.STRING) {
      throw refuse("LIKE needs a string, column '" + column.name() + "' is " + column.type());
    }
    RawLiteral pattern = literal(like.getRightExpression());
    if (pattern instanceof RawLiteral.Null) {
      return Node.Constant.UNKNOWN;
    }
    if (!(pattern instanceof RawLiteral.Text text) || !text.word().isEmpty()) {
      throw refuse("LIKE needs a pattern as text, saw " + pattern.describe());
    }
    Node node = new Predicate.Like(column, pattern(text.value(), escape(like.getEscape())));
    return like.isNot() ? new Node.Not(node) : node;
  }

  private int escape(@Nullable Expression escape) {
    if (escape == null) {
      return 0;
    }
    if (literal(escape) instanceof RawLiteral.Text text
        && text.value().codePointCount(0, text.value().length()) == 1) {
      return text.value().codePointAt(0);
    }
    throw refuse("ESCAPE needs one character as text");
  }

  private LikePattern pattern(String text, int escape) {
    try {
      return LikePattern.of(text, escape);
    } catch (IllegalArgumentException e) {
      throw Refusal.of(at, "in a LIKE pattern, " + e.getMessage(), e);
    }
  }

  Node in(Expression left, List<RawLiteral> items) {
    if (!isColumn(left)) {
      throw refuse("IN needs a column before it");
    }
    Column column = column(left);
    boolean hasNull = false;
    List<Point> points = new ArrayList<>();
    for (RawLiteral item : items) {
      Point point = point(column, item);
      if (point == null) {
        hasNull = true;
      } else {
        points.add(point);
      }
    }
    return new Predicate.In(column, PointOrder.sorted(points), hasNull);
  }

  private static boolean isColumn(Expression expression) {
    return LiteralBinder.isColumn(expression);
  }

  private Column column(Expression expression) {
    if (expression instanceof net.sf.jsqlparser.schema.Column column
        && column.getTable() == null
        && column.getArrayConstructor() == null) {
      return columns.resolve(operands.name(column.getColumnName()));
    }
    throw refuse("expected a column, saw " + literals.shown(expression));
  }

  private RawLiteral literal(Expression expression) {
    return literals.literal(expression);
  }

  private io.icewal.model.IcewalException refuse(String what) {
    return Refusal.of(at, what);
  }
}
