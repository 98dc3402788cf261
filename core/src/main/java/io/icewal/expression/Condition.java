package io.icewal.expression;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Expression;

/// A SQL condition over a table's columns, with three-valued logic: a comparison with a null is
/// unknown, and only rows for which the whole is true count.
///
/// - Comparisons of a column with a literal (either way round) or with a column of the same type,
///   AND, OR, NOT, IN, BETWEEN, LIKE with ESCAPE, IS NULL, IS TRUE, IS FALSE, IS UNKNOWN, boolean
///   columns alone. Everything else is refused by name.
/// - Fields of structs are written `a.b`; names with other characters `"in quotes"`; a quote within
///   is doubled. Unquoted names match without regard to case if there is no exact match.
/// - A literal has the type of its column: `at > '2026-01-01 10:00'` or `at > TIMESTAMP '…'`, `id =
///   X'00ff'`, `uuid = '…'`. Times without a zone are UTC. `f = 0.1` means the float nearest to 0.1
///   if `f` is a float.
/// - Strings are ordered by code point, bytes and UUIDs by unsigned bytes. A NaN is unequal to
///   everything and neither smaller nor greater, as IEEE 754 has it.
///
/// Immutable; thread-safe.
public final class Condition {
  private final Node node;

  private Condition(Node node) {
    this.node = node;
  }

  /// Parses a condition and binds it to a table's columns.
  ///
  /// @throws IcewalException INVALID: what was seen, where, and what is supported
  public static Condition parse(String sql, Schema schema) {
    return new Condition(ConditionParser.parse(sql, schema));
  }

  /// The indexes of the rows for which the condition is true (not false, not unknown), ascending.
  ///
  /// @param rows canonical Arrow with at least the columns of [#fieldIds]
  public int[] select(VectorSchemaRoot rows) {
    return test(rows).stream().toArray();
  }

  /// The rows for which the condition is true, as a set.
  ///
  /// @param rows canonical Arrow with at least the columns of [#fieldIds]
  public BitSet test(VectorSchemaRoot rows) {
    return node.evaluate(rows).yes;
  }

  /// A filter for Iceberg's planning: whatever it rules out has no row for which this is true.
  public Expression pruning() {
    return node.prune(false);
  }

  /// The fields that are read, each at the end of its path.
  public Set<Integer> fieldIds() {
    return node.fieldIds();
  }

  /// The part of this condition that reads only the given fields: true wherever this is true. Empty
  /// if there is no such part.
  public Optional<Condition> onlyOver(Set<Integer> fieldIds) {
    if (fieldIds.containsAll(node.fieldIds())) {
      return Optional.of(this);
    }
    if (node instanceof Node.Junction junction && junction.all()) {
      List<Node> parts =
          junction.parts().stream().filter(part -> fieldIds.containsAll(part.fieldIds())).toList();
      if (!parts.isEmpty()) {
        return Optional.of(new Condition(new Node.Junction(true, parts)));
      }
    }
    return Optional.empty();
  }
}
