package io.icewal.expression;

import io.icewal.expression.Values.Point;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;

/// A leaf of a condition: something about one column, or two.
sealed interface Predicate extends Node
    permits Predicate.Compare,
        Predicate.CompareColumns,
        Predicate.In,
        Predicate.Like,
        Predicate.IsNull {

  /// The truth of a test that is unknown for nulls.
  static Truth test(int rows, Column.Bound column, IntPredicate test) {
    Truth truth = new Truth(rows);
    boolean nulls = column.hasNulls();
    for (int row = 0; row < rows; row++) {
      if (!nulls || !column.isNull(row)) {
        truth.set(row, test.test(row));
      }
    }
    return truth;
  }

  /// Column against literal.
  record Compare(Column column, ComparisonOp op, Point literal) implements Predicate {
    @Override
    public Truth evaluate(VectorSchemaRoot rows) {
      Column.Bound bound = column.bind(rows);
      Values values = Values.of(bound.vector(), column.type());
      return test(rows.getRowCount(), bound, row -> op.test(values.compare(row, literal)));
    }

    @Override
    public Expression prune(boolean negated) {
      return negated
          ? Pruning.compareNegated(column, op, literal)
          : Pruning.compare(column, op, literal);
    }

    @Override
    public void forEachColumn(Consumer<Column> action) {
      action.accept(column);
    }
  }

  /// Column against column of the same family.
  record CompareColumns(Column left, ComparisonOp op, Column right) implements Predicate {
    @Override
    public Truth evaluate(VectorSchemaRoot rows) {
      Column.Bound leftBound = left.bind(rows);
      Column.Bound rightBound = right.bind(rows);
      Values leftValues = Values.of(leftBound.vector(), left.type());
      Values rightValues = Values.of(rightBound.vector(), right.type());
      Truth truth = new Truth(rows.getRowCount());
      for (int row = 0; row < truth.rows; row++) {
        if (!leftBound.isNull(row) && !rightBound.isNull(row)) {
          truth.set(row, op.test(leftValues.compare(row, rightValues)));
        }
      }
      return truth;
    }

    @Override
    public Expression prune(boolean negated) {
      return Expressions.alwaysTrue();
    }

    @Override
    public void forEachColumn(Consumer<Column> action) {
      action.accept(left);
      action.accept(right);
    }
  }

  /// Column in a list of literals, sorted so that each row costs a binary search.
  ///
  /// @param literals sorted, distinct
  /// @param hasNull whether NULL is in the list too: then no row is certainly outside of it
  record In(Column column, List<Point> literals, boolean hasNull) implements Predicate {
    @Override
    public Truth evaluate(VectorSchemaRoot rows) {
      Column.Bound bound = column.bind(rows);
      Values values = Values.of(bound.vector(), column.type());
      Point[] sorted = literals.toArray(Point[]::new);
      Truth truth = test(rows.getRowCount(), bound, row -> contains(values, row, sorted));
      if (hasNull) {
        truth.no.clear();
      }
      return truth;
    }

    private static boolean contains(Values values, int row, Point[] sorted) {
      int low = 0;
      int high = sorted.length - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        int order = values.compare(row, sorted[middle]);
        if (order == 0) {
          return true;
        }
        if (order == ComparisonOp.UNORDERED) {
          return false;
        }
        if (order < 0) {
          high = middle - 1;
        } else {
          low = middle + 1;
        }
      }
      return false;
    }

    @Override
    public Expression prune(boolean negated) {
      if (negated) {
        return hasNull ? Expressions.alwaysFalse() : Expressions.alwaysTrue();
      }
      return Pruning.in(column, literals);
    }

    @Override
    public void forEachColumn(Consumer<Column> action) {
      action.accept(column);
    }
  }

  /// Column against a pattern.
  record Like(Column column, LikePattern pattern) implements Predicate {
    @Override
    public Truth evaluate(VectorSchemaRoot rows) {
      Column.Bound bound = column.bind(rows);
      Values.Bytes bytes = (Values.Bytes) Values.of(bound.vector(), column.type());
      return test(
          rows.getRowCount(),
          bound,
          row -> pattern.matches(bytes.data(), bytes.start(row), bytes.end(row)));
    }

    @Override
    public Expression prune(boolean negated) {
      String prefix = pattern.prefix();
      return negated || prefix.isEmpty()
          ? Expressions.alwaysTrue()
          : Expressions.startsWith(column.name(), prefix);
    }

    @Override
    public void forEachColumn(Consumer<Column> action) {
      action.accept(column);
    }
  }

  /// Column is null. Never unknown.
  record IsNull(Column column) implements Predicate {
    @Override
    public Truth evaluate(VectorSchemaRoot rows) {
      Column.Bound bound = column.bind(rows);
      Truth truth = new Truth(rows.getRowCount());
      for (int row = 0; row < truth.rows; row++) {
        truth.set(row, bound.isNull(row));
      }
      return truth;
    }

    @Override
    public Expression prune(boolean negated) {
      return negated ? Pruning.isNotNull(column) : Pruning.isNull(column);
    }

    @Override
    public void forEachColumn(Consumer<Column> action) {
      action.accept(column);
    }
  }
}
