package io.icewal.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.merge.KeyRange;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.GeneralScalarExpression;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.junit.jupiter.api.Test;

class WantedKeysTest {
  private static Schema keyed(Type type) {
    return new Schema(
        List.of(
            NestedField.required(1, "id", type),
            NestedField.optional(2, "v", Types.StringType.get())),
        Set.of(1));
  }

  private static boolean isBounded(Type key, String operation, Expression... operands) {
    KeyRange range = WantedKeys.of(keyed(key), List.of(new Predicate(operation, operands)));
    return range.lower().length > 0 || range.upper().length > 0;
  }

  private static Expression id() {
    return Expressions.column("id");
  }

  private static Expression text(String value) {
    return Expressions.literal(value);
  }

  @Test
  void conditionsOnTheKeyBoundIt() {
    assertThat(isBounded(Types.StringType.get(), "=", id(), text("a"))).isTrue();
    assertThat(isBounded(Types.StringType.get(), "IN", id(), text("a"), text("b"))).isTrue();
  }

  @Test
  void conditionsThatIcebergCannotTakeBoundNothing() {
    Expression lower =
        new GeneralScalarExpression("LOWER", new Expression[] {Expressions.column("v")});
    assertThat(isBounded(Types.LongType.get(), "STARTS_WITH", lower, text("a"))).isFalse();
    assertThat(isBounded(Types.StringType.get(), "STARTS_WITH", text("abc"), id())).isFalse();
    assertThat(isBounded(Types.FixedType.ofLength(4), "=", id(), Expressions.literal(new byte[1])))
        .isFalse();
  }

  @Test
  void uuidsAreOrderedInTwoWaysAndBoundNothing() {
    String low = "10000000-0000-0000-0000-000000000000";
    String high = "90000000-0000-0000-0000-000000000000";
    assertThat(isBounded(Types.UUIDType.get(), "=", id(), text("abc"))).isFalse();
    assertThat(isBounded(Types.UUIDType.get(), "IN", id(), text(low), text(high))).isFalse();
    assertThat(isBounded(Types.UUIDType.get(), ">=", id(), text(low))).isFalse();
  }
}
