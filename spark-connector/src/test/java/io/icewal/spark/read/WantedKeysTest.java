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
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.filter.And;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class WantedKeysTest {
  private static final Type STRING = Types.StringType.get();

  private static Schema keyed(Type type) {
    return new Schema(
        List.of(NestedField.required(1, "id", type), NestedField.optional(2, "v", STRING)),
        Set.of(1));
  }

  private static boolean isBounded(Type key, String operation, Expression... operands) {
    return isBounded(key, new Predicate(operation, operands));
  }

  private static boolean isBounded(Type key, Predicate predicate) {
    KeyRange range = WantedKeys.of(keyed(key), List.of(predicate));
    return range.lower().length > 0 || range.upper().length > 0;
  }

  private static Expression id() {
    return Expressions.column("id");
  }

  private static Expression text(String value) {
    return Expressions.literal(value);
  }

  private static Expression lower(String column) {
    return new GeneralScalarExpression("LOWER", new Expression[] {Expressions.column(column)});
  }

  private static Predicate startsWith(Expression whole, Expression beginning) {
    return new Predicate("STARTS_WITH", new Expression[] {whole, beginning});
  }

  @Test
  void conditionsOnTheKeyBoundIt() {
    assertThat(isBounded(STRING, "=", id(), text("a"))).isTrue();
    assertThat(isBounded(STRING, "<=>", id(), text("a"))).isTrue();
    assertThat(isBounded(STRING, "<", text("a"), id())).isTrue();
    assertThat(isBounded(STRING, "IN", id(), text("a"), text("b"))).isTrue();
    assertThat(isBounded(Types.LongType.get(), ">=", id(), Expressions.literal(7L))).isTrue();
  }

  @Test
  void conditionsBesideOnesThatIcebergCannotTakeBoundTheKey() {
    Predicate onKey = new Predicate("=", new Expression[] {id(), text("a")});
    assertThat(isBounded(STRING, new And(startsWith(lower("v"), text("a")), onKey))).isTrue();
  }

  @Test
  void conditionsThatIcebergCannotTakeBoundNothing() {
    Expression nothing = new LiteralValue<>(null, DataTypes.StringType);
    assertThat(isBounded(Types.LongType.get(), startsWith(lower("v"), text("a")))).isFalse();
    assertThat(isBounded(STRING, startsWith(text("abc"), id()))).isFalse();
    assertThat(isBounded(STRING, startsWith(id(), nothing))).isFalse();
    assertThat(isBounded(STRING, "=", lower("id"), text("a"))).isFalse();
    assertThat(isBounded(STRING, "=", id(), nothing)).isFalse();
    assertThat(isBounded(STRING, "=", id(), id())).isFalse();
    assertThat(isBounded(STRING, "IN", text("a"), id(), text("b"))).isFalse();
    assertThat(isBounded(STRING, "=", Expressions.column("v"), text("a"))).isFalse();
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
