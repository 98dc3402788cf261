package io.icewal.expression;

import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;

/// A bound condition. Depth is bounded by the parser, so recursion is safe.
sealed interface Node permits Node.Constant, Node.Junction, Node.Not, Node.Is, Predicate {
  Truth evaluate(VectorSchemaRoot rows);

  /// An Iceberg expression that holds wherever this node, or its negation, is true.
  Expression prune(boolean negated);

  void forEachColumn(Consumer<Column> action);

  default Set<Integer> fieldIds() {
    Set<Integer> ids = new HashSet<>();
    forEachColumn(column -> ids.add(column.fieldId()));
    return ids;
  }

  /// The same for every row.
  enum Constant implements Node {
    TRUE,
    FALSE,
    UNKNOWN;

    @Override
    public Truth evaluate(VectorSchemaRoot rows) {
      Truth truth = new Truth(rows.getRowCount());
      if (this != UNKNOWN) {
        (this == TRUE ? truth.yes : truth.no).set(0, truth.rows);
      }
      return truth;
    }

    @Override
    public Expression prune(boolean negated) {
      return this == (negated ? FALSE : TRUE)
          ? Expressions.alwaysTrue()
          : Expressions.alwaysFalse();
    }

    @Override
    public void forEachColumn(Consumer<Column> action) {}
  }

  /// All of (AND) or any of (OR) some nodes.
  record Junction(boolean all, List<Node> parts) implements Node {
    @Override
    public Truth evaluate(VectorSchemaRoot rows) {
      Truth truth = (all ? Constant.TRUE : Constant.FALSE).evaluate(rows);
      for (Node part : parts) {
        if (all) {
          truth.and(part.evaluate(rows));
        } else {
          truth.or(part.evaluate(rows));
        }
      }
      return truth;
    }

    @Override
    public Expression prune(boolean negated) {
      List<Expression> pruned = parts.stream().map(part -> part.prune(negated)).toList();
      return all == negated ? balanced(pruned, false) : balanced(pruned, true);
    }

    /// Iceberg visits its trees by recursion: thousands of parts must not make a deep one.
    private static Expression balanced(List<Expression> parts, boolean and) {
      if (parts.size() == 1) {
        return parts.get(0);
      }
      int half = parts.size() / 2;
      Expression left = balanced(parts.subList(0, half), and);
      Expression right = balanced(parts.subList(half, parts.size()), and);
      return and ? Expressions.and(left, right) : Expressions.or(left, right);
    }

    @Override
    public void forEachColumn(Consumer<Column> action) {
      parts.forEach(part -> part.forEachColumn(action));
    }
  }

  /// NOT.
  record Not(Node part) implements Node {
    @Override
    public Truth evaluate(VectorSchemaRoot rows) {
      return part.evaluate(rows).negated();
    }

    @Override
    public Expression prune(boolean negated) {
      return part.prune(!negated);
    }

    @Override
    public void forEachColumn(Consumer<Column> action) {
      part.forEachColumn(action);
    }
  }

  /// IS TRUE, IS FALSE, IS UNKNOWN: never unknown itself.
  record Is(Node part, Constant value) implements Node {
    @Override
    public Truth evaluate(VectorSchemaRoot rows) {
      Truth truth = part.evaluate(rows);
      return switch (value) {
        case TRUE -> Truth.of(truth.rows, truth.yes);
        case FALSE -> Truth.of(truth.rows, truth.no);
        case UNKNOWN -> {
          BitSet known = (BitSet) truth.yes.clone();
          known.or(truth.no);
          yield Truth.of(truth.rows, truth.others(known));
        }
      };
    }

    @Override
    public Expression prune(boolean negated) {
      // Negated, or UNKNOWN, it holds where nulls are: nothing can be ruled out.
      return negated || value == Constant.UNKNOWN
          ? Expressions.alwaysTrue()
          : part.prune(value == Constant.FALSE);
    }

    @Override
    public void forEachColumn(Consumer<Column> action) {
      part.forEachColumn(action);
    }
  }
}
