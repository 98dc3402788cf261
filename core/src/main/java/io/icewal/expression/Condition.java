package io.icewal.expression;

import java.util.Optional;
import java.util.Set;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Expression;

/// A SQL condition over a table's columns.
///
/// Immutable; thread-safe.
public final class Condition {
  /// @throws IcewalException INVALID: what was seen, where, and what is supported
  public static Condition parse(String sql, Schema schema) {
    throw new UnsupportedOperationException();
  }

  /// The indexes of the rows for which the condition is true (not false, not unknown), ascending.
  ///
  /// @param rows canonical Arrow with at least the columns of [#fieldIds]
  public int[] select(VectorSchemaRoot rows) {
    throw new UnsupportedOperationException();
  }

  /// A filter for Iceberg's planning: whatever it rules out has no row for which this is true.
  public Expression pruning() {
    throw new UnsupportedOperationException();
  }

  /// The fields that are read, at the end of their paths.
  public Set<Integer> fieldIds() {
    throw new UnsupportedOperationException();
  }

  /// The part of this condition that reads only the given fields: true wherever this is true. Empty
  /// if there is no such part.
  public Optional<Condition> onlyOver(Set<Integer> fieldIds) {
    throw new UnsupportedOperationException();
  }
}
