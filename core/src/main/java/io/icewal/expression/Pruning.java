package io.icewal.expression;

import io.icewal.expression.Values.BytesPoint;
import io.icewal.expression.Values.DecimalPoint;
import io.icewal.expression.Values.FloatingPoint;
import io.icewal.expression.Values.IntegerPoint;
import io.icewal.expression.Values.Point;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Type;

/// Iceberg expressions that hold wherever a predicate is true, given what Iceberg's evaluators know
/// of a file or a partition. Where those think otherwise than we, the result is wider:
///
/// - UUIDs are compared as signed numbers by Iceberg 1.11, as unsigned bytes by Parquet and by us,
///   and a file's bounds may be of either order or a mixture. What holds in all of them: a lower
///   bound that is not negative is below every value, and a negative upper bound above. So values
///   that are not negative are held against lower bounds only, negative ones against upper bounds
///   only.
/// - Floating point zeros are told apart by Iceberg: both are let in. A NaN fulfils the negation of
///   every comparison but `<>`.
/// - A literal between two values, or outside of a type's range, is not a literal of that type.
/// - A null may stand where a schema says required (it was optional once).
final class Pruning {
  /// Beyond this many values Iceberg does not look at a list any more.
  private static final int IN_MAX = 200;

  private Pruning() {}

  static Expression compare(Column column, ComparisonOp op, Point literal) {
    if (column.type().typeId() == Type.TypeID.UUID) {
      return uuid(column, op, ((BytesPoint) literal).bytes());
    }
    if (column.type().typeId() == Type.TypeID.BOOLEAN
        && op != ComparisonOp.EQ
        && op != ComparisonOp.NE) {
      return Expressions.alwaysTrue();
    }
    if (literal instanceof FloatingPoint floating) {
      return floating(column, op, floating.value());
    }
    int whenEqual = whenEqual(literal);
    if (whenEqual == 0) {
      return predicate(column, op, literal);
    }
    return switch (op) {
      case EQ -> Expressions.alwaysFalse();
      case NE -> Expressions.alwaysTrue();
      case LT, LE -> predicate(column, whenEqual < 0 ? ComparisonOp.LE : ComparisonOp.LT, literal);
      case GT, GE -> predicate(column, whenEqual < 0 ? ComparisonOp.GT : ComparisonOp.GE, literal);
    };
  }

  static Expression compareNegated(Column column, ComparisonOp op, Point literal) {
    if (!(literal instanceof FloatingPoint floating)) {
      return compare(column, op.negated(), literal);
    }
    // A NaN, here or there, is unequal to everything, and that is all it is.
    if (Double.isNaN(floating.value())) {
      return op == ComparisonOp.NE ? Expressions.alwaysFalse() : Expressions.alwaysTrue();
    }
    Expression negated = compare(column, op.negated(), literal);
    return op == ComparisonOp.NE
        ? negated
        : Expressions.or(negated, Expressions.isNaN(column.name()));
  }

  static Expression in(Column column, List<Point> literals) {
    if (literals.isEmpty()) {
      return Expressions.alwaysFalse();
    }
    if (literals.size() > IN_MAX) {
      Point first = literals.get(0);
      Point last = literals.get(literals.size() - 1);
      return Expressions.and(
          compare(column, ComparisonOp.GE, first), compare(column, ComparisonOp.LE, last));
    }
    Expression any = Expressions.alwaysFalse();
    for (Point literal : literals) {
      any = Expressions.or(any, compare(column, ComparisonOp.EQ, literal));
    }
    return any;
  }

  static Expression isNull(Column column) {
    return column.mayPruneNulls() ? Expressions.isNull(column.name()) : Expressions.alwaysTrue();
  }

  static Expression isNotNull(Column column) {
    return column.mayPruneNulls() ? Expressions.notNull(column.name()) : Expressions.alwaysTrue();
  }

  /// The lower half of a UUID counts for nothing here: it is the lowest or highest there is.
  private static Expression uuid(Column column, ComparisonOp op, byte[] bytes) {
    long high = ByteBuffer.wrap(bytes).getLong();
    boolean below = op == ComparisonOp.LT || op == ComparisonOp.LE;
    boolean above = op == ComparisonOp.GT || op == ComparisonOp.GE;
    if (op == ComparisonOp.NE || (high < 0 ? below : above)) {
      return Expressions.alwaysTrue();
    }
    return high < 0
        ? Expressions.greaterThanOrEqual(column.name(), new UUID(high, Long.MIN_VALUE))
        : Expressions.lessThanOrEqual(column.name(), new UUID(high, Long.MAX_VALUE));
  }

  private static Expression floating(Column column, ComparisonOp op, double value) {
    if (Double.isNaN(value)) {
      return op == ComparisonOp.NE ? Expressions.alwaysTrue() : Expressions.alwaysFalse();
    }
    if (column.type().typeId() == Type.TypeID.FLOAT && (float) value != value) {
      return betweenFloats(column, op, value);
    }
    if (value != 0) {
      return predicate(column, op, new FloatingPoint(value));
    }
    FloatingPoint minus = new FloatingPoint(-0.0);
    FloatingPoint plus = new FloatingPoint(0.0);
    return switch (op) {
      case EQ ->
          Expressions.and(
              predicate(column, ComparisonOp.GE, minus), predicate(column, ComparisonOp.LE, plus));
      case NE -> Expressions.alwaysTrue();
      case LE, GT -> predicate(column, op, plus);
      case LT, GE -> predicate(column, op, minus);
    };
  }

  /// A double that is no float: between two floats, or beyond the largest.
  private static Expression betweenFloats(Column column, ComparisonOp op, double value) {
    float near = (float) value;
    float below = near > value ? Math.nextDown(near) : near;
    float above = near < value ? Math.nextUp(near) : near;
    return switch (op) {
      case EQ -> Expressions.alwaysFalse();
      case NE -> Expressions.alwaysTrue();
      case LT, LE -> predicate(column, ComparisonOp.LE, new FloatingPoint(below));
      case GT, GE -> predicate(column, ComparisonOp.GE, new FloatingPoint(above));
    };
  }

  private static int whenEqual(Point literal) {
    if (literal instanceof IntegerPoint integer) {
      return integer.whenEqual();
    }
    return literal instanceof DecimalPoint decimal ? decimal.whenEqual() : 0;
  }

  private static Expression predicate(Column column, ComparisonOp op, Point literal) {
    Expression.Operation operation =
        switch (op) {
          case EQ -> Expression.Operation.EQ;
          case NE -> Expression.Operation.NOT_EQ;
          case LT -> Expression.Operation.LT;
          case LE -> Expression.Operation.LT_EQ;
          case GT -> Expression.Operation.GT;
          case GE -> Expression.Operation.GT_EQ;
        };
    return Expressions.predicate(operation, column.name(), literal(column.type(), literal));
  }

  private static Literal<?> literal(Type type, Point point) {
    if (point instanceof BytesPoint bytes) {
      return type.typeId() == Type.TypeID.STRING
          ? Expressions.lit(new String(bytes.bytes(), StandardCharsets.UTF_8))
          : Expressions.lit(ByteBuffer.wrap(bytes.bytes()));
    }
    if (point instanceof FloatingPoint floating) {
      return type.typeId() == Type.TypeID.FLOAT
          ? Expressions.lit((float) floating.value())
          : Expressions.lit(floating.value());
    }
    if (point instanceof DecimalPoint decimal) {
      return Expressions.lit(new BigDecimal(decimal.floor(), decimal.scale()));
    }
    long value = ((IntegerPoint) point).floor();
    return switch (type.typeId()) {
      case BOOLEAN -> Expressions.lit(value != 0);
      case INTEGER, DATE -> Expressions.lit((int) value);
      case TIMESTAMP_NANO -> Expressions.nanos(value);
      default -> Expressions.lit(value);
    };
  }
}
