package io.icewal.spark.read;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Binder;
import org.apache.iceberg.expressions.BoundPredicate;
import org.apache.iceberg.expressions.BoundSetPredicate;
import org.apache.iceberg.expressions.Expression.Operation;
import org.apache.iceberg.expressions.UnboundPredicate;
import org.apache.iceberg.spark.SparkV2Filters;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.And;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/// Which keys a scan can want, by its predicates over columns of the key. Spark tests rows again,
/// so that a range that is too wide costs time only.
final class WantedKeys {
  private static final Set<String> COMPARISONS = Set.of("=", "<=>", "<", "<=", ">", ">=", "IN");

  private final Schema schema;
  private final KeyColumns key;
  private final Map<Integer, Object> lowest = new HashMap<>();
  private final Map<Integer, Object> highest = new HashMap<>();

  private WantedKeys(Schema schema) {
    this.schema = schema;
    this.key = KeyColumns.of(schema);
  }

  /// @param predicates all of which a wanted row fulfils
  static KeyRange of(Schema schema, Iterable<Predicate> predicates) {
    WantedKeys keys = new WantedKeys(schema);
    predicates.forEach(keys::add);
    return keys.key.between(keys.serialized(keys.lowest), keys.serialized(keys.highest));
  }

  /// Iceberg's conversion throws for much of what it does not take, such as a function of a column:
  /// it gets only what it takes.
  private void add(Predicate predicate) {
    if (predicate instanceof And both) {
      add(both.left());
      add(both.right());
    } else if (COMPARISONS.contains(predicate.name())
        && Arrays.stream(predicate.children()).allMatch(child -> isValue(child) || isKey(child))
        && SparkV2Filters.convert(predicate) instanceof UnboundPredicate<?> comparison
        && isOfItsType(comparison)
        && Binder.bind(schema.asStruct(), comparison, /* caseSensitive= */ true)
            instanceof BoundPredicate<?> bound) {
      add(bound);
    }
  }

  private static boolean isValue(Expression child) {
    return child instanceof Literal<?> literal && literal.value() != null;
  }

  private boolean isKey(Expression child) {
    NestedField column =
        child instanceof NamedReference reference
            ? schema.findField(String.join(".", reference.fieldNames()))
            : null;
    // Iceberg orders UUIDs by signed halves, keys by unsigned ones.
    return column != null
        && key.fieldIds().contains(column.fieldId())
        && column.type().typeId() != Type.TypeID.UUID;
  }

  /// Not, say, bytes of another length than the column's.
  private boolean isOfItsType(UnboundPredicate<?> comparison) {
    Type type = schema.findType(comparison.ref().name());
    return comparison.literals().stream().allMatch(literal -> literal.to(type) != null);
  }

  private void add(BoundPredicate<?> predicate) {
    int id = predicate.ref().fieldId();
    if (predicate.isLiteralPredicate()) {
      Object value = predicate.asLiteralPredicate().literal().value();
      switch (predicate.op()) {
        case EQ -> {
          atLeast(id, value);
          atMost(id, value);
        }
        case GT, GT_EQ -> atLeast(id, value);
        case LT, LT_EQ -> atMost(id, value);
        default -> {}
      }
    } else if (predicate.op() == Operation.IN && predicate instanceof BoundSetPredicate<?> set) {
      addAll(id, set.literalSet());
    }
  }

  private void addAll(int id, Collection<?> values) {
    Comparator<Object> order = order(id);
    values.stream().map(Object.class::cast).min(order).ifPresent(value -> atLeast(id, value));
    values.stream().map(Object.class::cast).max(order).ifPresent(value -> atMost(id, value));
  }

  private Comparator<Object> order(int id) {
    return Comparators.forType(schema.findType(id).asPrimitiveType());
  }

  private void atLeast(int id, Object value) {
    lowest.merge(id, value, BinaryOperator.maxBy(order(id)));
  }

  private void atMost(int id, Object value) {
    highest.merge(id, value, BinaryOperator.minBy(order(id)));
  }

  private Map<Integer, ByteBuffer> serialized(Map<Integer, Object> values) {
    Map<Integer, ByteBuffer> bounds = new HashMap<>();
    values.forEach(
        (id, value) -> bounds.put(id, Conversions.toByteBuffer(schema.findType(id), value)));
    return bounds;
  }
}
