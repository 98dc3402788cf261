package io.icewal.spark.read;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.And;
import org.apache.iceberg.expressions.Binder;
import org.apache.iceberg.expressions.BoundPredicate;
import org.apache.iceberg.expressions.BoundSetPredicate;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.NamedReference;
import org.apache.iceberg.expressions.UnboundPredicate;
import org.apache.iceberg.spark.SparkV2Filters;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which keys a scan can want, by its predicates over columns of the key. Spark tests rows again,
/// so that a range that is too wide costs time only.
final class WantedKeys {
  private static final Logger LOG = LoggerFactory.getLogger(WantedKeys.class);

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
    for (Predicate predicate : predicates) {
      keys.tryToAdd(predicate);
    }
    return keys.key.between(keys.serialized(keys.lowest), keys.serialized(keys.highest));
  }

  /// Iceberg's conversion throws for much of what it does not take, such as a function of a column
  /// or a text that is no UUID: such a predicate says nothing about keys here.
  private void tryToAdd(Predicate predicate) {
    try {
      Expression expression = SparkV2Filters.convert(predicate);
      if (expression != null) {
        add(expression);
      }
    } catch (RuntimeException e) {
      LOG.debug("no range of keys from {}", predicate, e);
    }
  }

  private void add(Expression expression) {
    if (expression instanceof And both) {
      add(both.left());
      add(both.right());
    } else if (expression instanceof UnboundPredicate<?> predicate && isOnKey(predicate)) {
      if (Binder.bind(schema.asStruct(), predicate, /* caseSensitive= */ true)
          instanceof BoundPredicate<?> bound) {
        add(bound);
      }
    }
  }

  private boolean isOnKey(UnboundPredicate<?> predicate) {
    NestedField column =
        predicate.term() instanceof NamedReference<?> reference
            ? schema.findField(reference.name())
            : null;
    // Iceberg orders UUIDs by signed halves, keys by unsigned ones.
    return column != null
        && key.fieldIds().contains(column.fieldId())
        && column.type().typeId() != Type.TypeID.UUID;
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
    } else if (predicate.op() == Expression.Operation.IN
        && predicate instanceof BoundSetPredicate<?> set) {
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
