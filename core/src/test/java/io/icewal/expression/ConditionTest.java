package io.icewal.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.InclusiveMetricsEvaluator;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConditionTest {
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void everyBufferIsFree() {
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  private boolean holds(String sql, Object... values) {
    Map<Integer, Object> row = new HashMap<>();
    for (int i = 0; i < values.length; i += 2) {
      row.put(ExpressionRows.SCHEMA.findField((String) values[i]).fieldId(), values[i + 1]);
    }
    try (VectorSchemaRoot rows = ExpressionRows.toArrow(List.of(row), allocator)) {
      return Condition.parse(sql, ExpressionRows.SCHEMA).select(rows).length == 1;
    }
  }

  @Test
  void andBindsStrongerThanOrAndNotStrongerThanAnd() {
    assertThat(holds("i = 1 or i = 2 and l = 3", "i", 1, "l", 0L)).isTrue();
    assertThat(holds("(i = 1 or i = 2) and l = 3", "i", 1, "l", 0L)).isFalse();
    assertThat(holds("not i = 1 and l = 0", "i", 2, "l", 0L)).isTrue();
    assertThat(holds("not not i = 1", "i", 1)).isTrue();
    assertThat(holds("i between 1 and 2 and l = 0", "i", 2, "l", 0L)).isTrue();
    assertThat(holds("i NOT BETWEEN 1 AND 2 OR l = 0", "i", 5)).isTrue();
  }

  @Test
  void nullsMakeComparisonsUnknown() {
    assertThat(holds("i = 1")).isFalse();
    assertThat(holds("not i = 1")).isFalse();
    assertThat(holds("i = null", "i", 1)).isFalse();
    assertThat(holds("i <> null", "i", 1)).isFalse();
    assertThat(holds("i not in (1, null)", "i", 2)).isFalse();
    assertThat(holds("i in (1, null)", "i", 1)).isTrue();
    assertThat(holds("(i = 1) is unknown")).isTrue();
    assertThat(holds("(i = 1) is not true")).isTrue();
    assertThat(holds("b", "b", true)).isTrue();
    assertThat(holds("not b", "b", false)).isTrue();
    assertThat(holds("b or not b")).isFalse();
    assertThat(holds("b is not false")).isTrue();
  }

  @Test
  void b110_namesInQuotesAreOneNameWhateverIsInThem() {
    assertThat(holds("\"sp ace\" = 7", "sp ace", 7L)).isTrue();
    assertThat(holds("`sp ace` = 7", "sp ace", 7L)).isTrue();
    assertThat(holds("\"a.b\" = 7", "a.b", 7)).isTrue();
    Schema odd =
        new Schema(
            NestedField.optional(1, "$data", Types.IntegerType.get()),
            NestedField.optional(2, "my/data", Types.IntegerType.get()),
            NestedField.optional(3, "日本", Types.IntegerType.get()),
            NestedField.optional(4, "1abc", Types.IntegerType.get()),
            NestedField.optional(5, "qu\"ote", Types.IntegerType.get()),
            NestedField.optional(6, "select", Types.IntegerType.get()),
            NestedField.optional(7, "new\nline", Types.IntegerType.get()),
            NestedField.optional(
                8,
                "a",
                Types.StructType.of(NestedField.optional(9, "1 b", Types.IntegerType.get()))));
    String sql =
        "$data = 1 or \"my/data\" = 1 or 日本 = 1 or 1abc = 1 or \"qu\"\"ote\" = 1 or"
            + " \"select\" = 1 or select = 1 or \"new\nline\" = 1 or a.\"1 b\" = 1";
    assertThat(Condition.parse(sql, odd).fieldIds()).isEqualTo(Set.of(1, 2, 3, 4, 5, 6, 7, 9));
  }

  @Test
  void fieldsOfStructsAreNullWithTheStruct() {
    assertThat(holds("st.x = 1", "st", true, "st.x", 1)).isTrue();
    assertThat(holds("st.in.z like '_'", "st", true, "st.in", true, "st.in.z", "a")).isTrue();
    assertThat(holds("st.in.z is null", "st", true)).isTrue();
    assertThat(holds("st.x is null")).isTrue();
    assertThat(holds("st is null", "st", true)).isFalse();
    assertThat(holds("li is null")).isTrue();
  }

  @Test
  void unquotedNamesMatchWithoutCaseIfNoOtherDoes() {
    assertThat(holds("ST.X = 1 AND I = 2", "st", true, "st.x", 1, "i", 2)).isTrue();
    assertThatThrownBy(() -> Condition.parse("\"ST\".x = 1", ExpressionRows.SCHEMA))
        .hasMessageContaining("no column 'ST.x'");
  }

  @Test
  void literalsTakeTheTypeOfTheirColumn() {
    assertThat(holds("dt = '1970-01-02'", "dt", 1)).isTrue();
    assertThat(holds("dt < date '1970-01-02'", "dt", 1)).isFalse();
    assertThat(holds("tm = '00:00:01.5'", "tm", 1_500_000L)).isTrue();
    assertThat(holds("ts = '1970-01-01'", "ts", 0L)).isTrue();
    assertThat(holds("ts = '1970-01-01T00:00:01'", "ts", 1_000_000L)).isTrue();
    assertThat(holds("tz = '1970-01-01 01:00+01:00'", "tz", 0L)).isTrue();
    assertThat(holds("tz = '1970-01-01 00:00:00 UTC'", "tz", 0L)).isTrue();
    assertThat(holds("tz = timestamp '1970-01-01 00:00:00Z'", "tz", 0L)).isTrue();
    assertThat(holds("ns = '1970-01-01 00:00:00.000000001'", "ns", 1L)).isTrue();
    assertThat(holds("u = '00000000-0000-0000-0000-000000000001'", "u", new UUID(0, 1))).isTrue();
    assertThat(holds("bin = X'00fF'", "bin", ByteBuffer.wrap(new byte[] {0, -1}))).isTrue();
    assertThat(holds("fx = x'0001'", "fx", ByteBuffer.wrap(new byte[] {0, 1}))).isTrue();
    assertThat(holds("dec = 1.50", "dec", new BigDecimal("1.50"))).isTrue();
    assertThat(holds("dec = 15e-1", "dec", new BigDecimal("1.50"))).isTrue();
    assertThat(holds("i = '5'", "i", 5)).isTrue();
    assertThat(holds("f = 0.1", "f", 0.1f)).isTrue();
    assertThat(holds("d = 'NaN' or d <> 'NaN'", "d", Double.NaN)).isTrue();
    assertThat(holds("d = 0.0 and d = -0.0", "d", -0.0)).isTrue();
  }

  @Test
  void literalsBetweenTwoValuesAreNotRounded() {
    assertThat(holds("ts > '1970-01-01 00:00:00.0000001'", "ts", 0L)).isFalse();
    assertThat(holds("ts < '1970-01-01 00:00:00.0000001'", "ts", 0L)).isTrue();
    assertThat(holds("dec = 1.001 or dec <> 1.001", "dec", new BigDecimal("1.00"))).isTrue();
    assertThat(holds("i < 99999999999999999999999", "i", Integer.MAX_VALUE)).isTrue();
    assertThat(holds("l <= -99999999999999999999999", "l", Long.MIN_VALUE)).isFalse();
    assertThat(holds("f < 1e300", "f", Float.POSITIVE_INFINITY)).isFalse();
  }

  @Test
  void b061_stringsAreOrderedByCodePoint() {
    assertThat(holds("s < '\uD83D\uDE00'", "s", "\uFFFD")).isTrue();
    assertThat(holds("s > 'A'", "s", "a")).isTrue();
    assertThat(holds("s = 'a '", "s", "a")).isFalse();
  }

  @Test
  void b055_uuidsAreOrderedAsUnsignedBytes() {
    assertThat(holds("u > '7fffffff-0000-0000-0000-000000000000'", "u", new UUID(0x80L << 56, 0)))
        .isTrue();
  }

  /// b055: of each half of the UUIDs, the bound that is right in every writer's order is used.
  @Test
  void b055_filesThatBeginAfterAUuidOrEndBeforeItAreNotRead() {
    assertThat(mayHold("u = '%s'", uuid(0x10), uuid(0x20), uuid(0x7f))).isFalse();
    assertThat(mayHold("u < '%s'", uuid(0x10), uuid(0x20), uuid(0xff))).isFalse();
    assertThat(mayHold("u in ('%s')", uuid(0x10), uuid(0x10), uuid(0x7f))).isTrue();
    assertThat(mayHold("u = '%s'", uuid(0x10), uuid(0x80), uuid(0x20))).isTrue();
    assertThat(mayHold("u = '%s'", uuid(0xf0), uuid(0x80), uuid(0xe0))).isFalse();
    assertThat(mayHold("u >= '%s'", uuid(0xf0), uuid(0x00), uuid(0xe0))).isFalse();
    assertThat(mayHold("u = '%s'", uuid(0xf0), uuid(0x90), uuid(0x7f))).isTrue();
    assertThat(mayHold("u <> '%s'", uuid(0x10), uuid(0x20), uuid(0x7f))).isTrue();
  }

  private static UUID uuid(int first) {
    return new UUID((long) first << 56, 0);
  }

  private static boolean mayHold(String where, UUID value, UUID lower, UUID upper) {
    Metrics metrics =
        new Metrics(
            1L,
            null,
            Map.of(13, 1L),
            Map.of(13, 0L),
            null,
            Map.of(13, Conversions.toByteBuffer(Types.UUIDType.get(), lower)),
            Map.of(13, Conversions.toByteBuffer(Types.UUIDType.get(), upper)));
    DataFile file =
        DataFiles.builder(PartitionSpec.unpartitioned())
            .withPath("file:/x.parquet")
            .withFileSizeInBytes(1)
            .withMetrics(metrics)
            .build();
    Condition condition = Condition.parse(where.formatted(value), ExpressionRows.SCHEMA);
    return new InclusiveMetricsEvaluator(ExpressionRows.SCHEMA, condition.pruning()).eval(file);
  }

  @Test
  void likeMatchesCodePointsAndTakesAnEscape() {
    assertThat(holds("s like 'a%'", "s", "abc")).isTrue();
    assertThat(holds("s like '_'", "s", "\uD83D\uDE00")).isTrue();
    assertThat(holds("s like 'a\\%' escape '\\'", "s", "a%")).isTrue();
    assertThat(holds("s like 'a\\%' escape '\\'", "s", "ab")).isFalse();
    assertThat(holds("s like 'a\\%'", "s", "a\\b")).isTrue();
    assertThat(holds("s not like '%x%'", "s", "abc")).isTrue();
    assertThat(holds("s like '%a%a%a%a%a%a%a%a%b'", "s", "a".repeat(5000))).isFalse();
  }

  @Test
  void constantsAndParenthesesAreUnderstood() {
    assertThat(holds("1 = 1 and 'a' < 'b'")).isTrue();
    assertThat(holds("true")).isTrue();
    assertThat(holds("false or 2 > 1")).isTrue();
    assertThat(holds("(((i)) = ((1)))", "i", 1)).isTrue();
    assertThat(holds("i in ((1), -(2))", "i", -2)).isTrue();
    assertThat(holds("5 > i", "i", 1)).isTrue();
    assertThat(holds("i = i2", "i", 1, "i2", 1)).isTrue();
    assertThat(holds("i < l", "i", 1, "l", 2L)).isTrue();
  }

  @Test
  void onlyOverKeepsTheConjunctsOfTheGivenFields() {
    Condition condition = Condition.parse("i = 1 and s = 'a' and i < 5", ExpressionRows.SCHEMA);

    assertThat(condition.onlyOver(Set.of(1)).orElseThrow().fieldIds()).isEqualTo(Set.of(1));
    assertThat(condition.onlyOver(Set.of(2))).isEmpty();
    assertThat(Condition.parse("i = 1 or s = 'a'", ExpressionRows.SCHEMA).onlyOver(Set.of(1)))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "lower(s) = 'a' | character 1: functions are not supported, saw 'lower('",
        "i = 1 and abs(i) = 2 | character 11: functions are not supported, saw 'abs('",
        "i in (select 1) | character 7: subqueries are not supported, saw '(select'",
        "i = (select 1) | character 6: subqueries are not supported",
        "exists (select 1) | subqueries are not supported",
        "s = \"a text\" | there is no column 'a text'; a text stands in single quotes",
        "idd = 1 | there is no column 'idd'; did you mean",
        "st.y = 1 | there is no column 'st.y'; did you mean 'x'?",
        "a.b = 1 | one is named 'a.b', write it as \"a.b\"",
        "i.x = 1 | column 'i' of type int has no fields",
        "i + 1 = 2 | arithmetic",
        "i = 'x' | column 'i': expected a number, saw text 'x'",
        "s = 5 | column 's': expected text, saw number 5",
        "ts = '1970-01-01 00:00Z' | expected a timestamp without time zone",
        "dt = 'yesterday' | text 'yesterday' is no date",
        "u = 'x' | expected a UUID",
        "fx = X'00' | expected 2 bytes",
        "bin = 'a' | expected bytes",
        "bin = X'0' | pairs of hexadecimal digits",
        "b = 1 | expected TRUE or FALSE, saw number 1",
        "i | column 'i' of type int is no condition",
        "li = 1 | cannot be compared, only IS NULL is possible",
        "i = s | columns 'i' of type int and 's' of type string cannot be compared",
        "i = 1; drop table t | character 6: ';' is not supported",
        "i = 1 -- x | comments are not supported",
        "i = ? | '?' is not supported",
        "(i = 1 | character 1: '(' without ')'",
        "i = 1) | character 6: ')' without '('",
        "i = 'x | character 5: the closing ' is missing",
        "i = 1 i2 = 2 | saw 'i = 1 i2 = 2'",
        "i = | saw 'i ='",
        "and i = 1 | character 1: saw 'and', expected a comparison",
        "i in () | a value of the list is missing",
        "i in (1,,2) | a value of the list is missing",
        "i = 1e999999999 | more than 400 digits",
        "(i = 1) = true | cannot be compared",
        "s like 'a!' escape '!' | the escape character must be followed by",
        "s similar to 'a' | saw 's similar to 'a''",
        "s ilike 'a' | saw 's ilike 'a''",
        "i is distinct from 1 | saw 'i is distinct from 1'",
        "case when b then 1 end = 1 | saw 'case when b then 1 end = 1'"
      })
  void whatIsNotUnderstoodIsRefusedByNameAndPlace(String sql, String expected) {
    Throwable error = catchThrowable(() -> Condition.parse(sql, ExpressionRows.SCHEMA));

    assertThat(error).isInstanceOf(IcewalException.class).hasMessageContaining(expected.trim());
    assertThat(((IcewalException) error).kind()).isEqualTo(ErrorKind.INVALID);
    assertThat(error).hasMessageContaining("Supported: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"(", "not (", "(i=1 or ", "i in (", "f(", "-(", "case when ", "(select ", "i = "})
  @Timeout(10)
  void hostileNestingIsRefusedAtOnce(String part) {
    assertThatThrownBy(() -> Condition.parse(part.repeat(20_000), ExpressionRows.SCHEMA))
        .isInstanceOf(IcewalException.class);
    assertThatThrownBy(
            () ->
                Condition.parse(part.repeat(40) + "= 1 x" + ")".repeat(40), ExpressionRows.SCHEMA))
        .isInstanceOf(IcewalException.class);
  }

  @Test
  @Timeout(60)
  void longConditionsAreUnderstoodInLinearTime() {
    long started = System.nanoTime();
    String or = "i = 1" + " or i = 2".repeat(2_000);
    String in = "i in (1" + ",2".repeat(30_000) + ")";
    String not = "not ".repeat(90_000) + "b";
    Condition.parse("(".repeat(64) + "i = 1" + ")".repeat(64), ExpressionRows.SCHEMA);
    for (String sql : List.of(or, in, not)) {
      Condition condition = Condition.parse(sql, ExpressionRows.SCHEMA);
      condition.pruning();
      assertThat(holds(sql, "i", 2, "b", true)).isTrue();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(50));
  }
}
