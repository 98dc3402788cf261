package io.icewal.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class KeyColumnsTest {
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingIsLeaked() {
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  @Test
  void encodingKeepsTheOrderOfLongs() {
    List<List<Object>> rows =
        rows(Long.MIN_VALUE, -1L, 0L, 1L, 1L << 40, Long.MAX_VALUE, -4_000_000_000L);

    assertSameOrder(Types.LongType.get(), rows, Comparator.comparing(r -> (Long) r.get(0)));
  }

  @Test
  void encodingKeepsTheOrderOfDecimals() {
    List<List<Object>> rows =
        rows(
            new BigDecimal("-0.01"),
            new BigDecimal("-1.00"),
            new BigDecimal("-9999999999999999999999999999999999.99"),
            new BigDecimal("0.00"),
            new BigDecimal("9999999999999999999999999999999999.99"),
            new BigDecimal("0.01"));

    assertSameOrder(
        Types.DecimalType.of(36, 2), rows, Comparator.comparing(r -> (BigDecimal) r.get(0)));
  }

  // b055
  @Test
  void b055_uuidsAreOrderedAsUnsignedBytes() {
    List<List<Object>> rows = rows(uuid(0x7f), uuid(0x80), uuid(0), uuid(0xff));

    assertSameOrder(
        Types.UUIDType.get(),
        rows,
        (a, b) -> Arrays.compareUnsigned((byte[]) a.get(0), (byte[]) b.get(0)));
  }

  // b061, b062
  @Test
  void b061_stringsAreOrderedByCodePoint() {
    List<List<Object>> rows =
        rows("\uFFFD", "\uD83D\uDE00", "a", "a ", "A", "\u00e9", "e\u0301", "", "a\0", "a\0b");
    Comparator<List<Object>> byCodePoint =
        (a, b) ->
            Arrays.compare(
                a.get(0).toString().codePoints().toArray(),
                b.get(0).toString().codePoints().toArray());

    assertSameOrder(Types.StringType.get(), rows, byCodePoint);
  }

  // b052, b053
  @Test
  void b053_compositeKeysNeverCollide() {
    Schema schema = schema(Types.StringType.get(), Types.StringType.get());
    List<List<Object>> rows =
        List.of(
            List.of("a;", "b"),
            List.of("a", ";b"),
            List.of("", "ab"),
            List.of("a", "b"),
            List.of("null", "x"),
            List.of("a\0", "b"),
            List.of("a", "\0b"),
            List.of("ab", ""),
            List.of("a\0\1", "b"),
            List.of("a", "\1b"),
            List.of("a\0\u00ff", ""));
    try (VectorSchemaRoot root = KeyRows.of(schema, rows, allocator)) {
      KeyVector keys = KeyColumns.of(schema).encode(root);

      Set<List<Byte>> distinct = new HashSet<>();
      for (int i = 0; i < keys.size(); i++) {
        distinct.add(boxed(keys.bytes(i)));
      }
      assertThat(distinct).hasSameSizeAs(rows);
    }
  }

  @Test
  void sortIsStableAndEqualsComparingForRandomKeys() {
    Random random = new Random(7);
    for (int round = 0; round < 60; round++) {
      int alphabet = 1 + random.nextInt(4);
      int length = 1 + random.nextInt(30);
      List<List<Object>> rows = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(700); i++) {
        StringBuilder text = new StringBuilder("prefix");
        for (int k = random.nextInt(length); k > 0; k--) {
          text.append((char) ('a' + random.nextInt(alphabet) - (random.nextInt(9) == 0 ? 'a' : 0)));
        }
        rows.add(List.of(text.toString(), (long) random.nextInt(3)));
      }
      assertSortMatchesOracle(schema(Types.StringType.get(), Types.LongType.get()), rows);
    }
  }

  @Test
  void sortOfExactKeysEqualsComparing() {
    Random random = new Random(8);
    for (int round = 0; round < 30; round++) {
      long bound = 1L << random.nextInt(62);
      List<List<Object>> rows = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(2000); i++) {
        rows.add(List.of(random.nextLong() % bound));
      }
      assertSortMatchesOracle(schema(Types.LongType.get()), rows);
    }
  }

  @Test
  void longCommonPrefixesDoNotOverflowTheStack() {
    String common = "x".repeat(20_000);
    List<List<Object>> rows = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      rows.add(List.of(common + (499 - i)));
    }

    assertSortMatchesOracle(schema(Types.StringType.get()), rows);
  }

  // b091: the encoding of a value outlives promotions.
  @Test
  void b091_promotedColumnsKeepTheirEncoding() {
    assertThat(encoded(Types.IntegerType.get(), -5)).isEqualTo(encoded(Types.LongType.get(), -5L));
    assertThat(encoded(Types.DecimalType.of(9, 2), new BigDecimal("-1.50")))
        .isEqualTo(encoded(Types.DecimalType.of(38, 2), new BigDecimal("-1.50")));
  }

  @Test
  void componentsAreTakenInFieldIdOrderAndNestedOnesByPath() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(5, "b", Types.LongType.get()),
                NestedField.required(
                    2,
                    "s",
                    Types.StructType.of(NestedField.required(3, "x", Types.StringType.get())))),
            Set.of(3, 5));
    KeyColumns columns = KeyColumns.of(schema);

    assertThat(columns.fieldIds()).containsExactly(3, 5);
    assertThat(columns.isExact()).isFalse();
    try (VectorSchemaRoot root =
        KeyRows.of(schema, List.of(List.of(7L, List.of("k"))), allocator)) {
      byte[] expected = {'k', 0, 1, (byte) 0x80, 0, 0, 0, 0, 0, 0, 7};
      assertThat(columns.encode(root).bytes(0)).isEqualTo(expected);
    }
  }

  @Test
  void nullInAKeyIsRefused() {
    Schema schema = schema(Types.LongType.get());
    try (VectorSchemaRoot root = KeyRows.of(schema, rows(1L, 2L), allocator)) {
      root.getVector(0).setNull(1);

      assertThatThrownBy(() -> KeyColumns.of(schema).encode(root))
          .isInstanceOfSatisfying(
              IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID))
          .hasMessageContaining("'c1'");
    }
  }

  @Test
  void rangeHoldsEveryKeyBetweenComponentBounds() {
    Schema schema = schema(Types.StringType.get(), Types.LongType.get());
    KeyColumns columns = KeyColumns.of(schema);
    Map<Integer, ByteBuffer> lower = Map.of(1, text("b"), 2, number(5));
    Map<Integer, ByteBuffer> upper = Map.of(1, text("d"), 2, number(9));
    List<List<Object>> rows =
        List.of(
            List.of("a", 7L),
            List.of("b", 4L),
            List.of("b", 5L),
            List.of("c", 100L),
            List.of("d", 9L),
            List.of("d", 10L),
            List.of("da", 1L));
    try (VectorSchemaRoot root = KeyRows.of(schema, rows, allocator)) {
      KeyVector keys = columns.encode(root);

      KeyRange both = columns.range(lower, upper, true);
      assertThat(both.from(keys)).isEqualTo(2);
      assertThat(both.to(keys)).isEqualTo(5);
      KeyRange open = columns.range(lower, Map.of(1, text("d")), true);
      assertThat(open.to(keys)).isEqualTo(6);
      assertThat(columns.range(null, upper, true).from(keys)).isZero();
      assertThat(columns.range(null, null, true)).isEqualTo(KeyRange.ALL);
      assertThat(KeyRange.ALL.to(keys)).isEqualTo(7);
    }
  }

  @Test
  void aRangeHasTheSameKeysInAnyOrderAsInTheirOwn() {
    Random random = new Random(9);
    Schema numbers = schema(Types.LongType.get());
    Schema texts = schema(Types.StringType.get(), Types.LongType.get());
    for (int round = 0; round < 200; round++) {
      Schema schema = round % 2 == 0 ? numbers : texts;
      List<List<Object>> rows = new ArrayList<>();
      for (int i = 0; i < random.nextInt(60); i++) {
        long number = random.nextInt(2000) - 1000L;
        rows.add(schema == numbers ? List.of(number) : List.of(shortText(random), number));
      }
      try (VectorSchemaRoot root = KeyRows.of(schema, rows, allocator)) {
        KeyVector keys = KeyColumns.of(schema).encode(root);
        KeyRange range = new KeyRange(bound(keys, random), bound(keys, random));
        KeyVector sorted = keys.gather(keys.sort());

        int[] within = range.rows(keys);

        assertThat(within).isSorted();
        KeyVector found = keys.gather(within);
        int from = range.from(sorted);
        KeyVector expected = sorted.slice(from, Math.max(from, range.to(sorted)));
        assertThat(texts(found.gather(found.sort())))
            .as("round " + round + " " + range)
            .isEqualTo(texts(expected));
      }
    }
  }

  private static String shortText(Random random) {
    return "abcabcabcabc".substring(0, random.nextInt(12)) + (char) ('a' + random.nextInt(3));
  }

  /// A key, the beginning of one, or bytes of no key at all.
  private static byte[] bound(KeyVector keys, Random random) {
    byte[] bound = new byte[random.nextInt(12)];
    random.nextBytes(bound);
    if (keys.size() > 0 && random.nextInt(5) > 0) {
      byte[] key = keys.bytes(random.nextInt(keys.size()));
      bound = Arrays.copyOf(key, random.nextBoolean() ? key.length : random.nextInt(key.length));
    }
    return keys.isExact() ? Arrays.copyOf(bound, Math.min(bound.length, Long.BYTES)) : bound;
  }

  private static List<String> texts(KeyVector keys) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      texts.add(Arrays.toString(keys.bytes(i)));
    }
    return texts;
  }

  @Test
  void swappedUuidBoundsAreNotTrusted() {
    KeyColumns columns = KeyColumns.of(schema(Types.UUIDType.get()));
    ByteBuffer high = ByteBuffer.wrap(uuid(0xff));
    ByteBuffer low = ByteBuffer.wrap(uuid(0x10));

    assertThat(columns.range(Map.of(1, high), Map.of(1, low), false)).isEqualTo(KeyRange.ALL);
    assertThat(columns.range(Map.of(1, low), Map.of(1, high), false)).isNotEqualTo(KeyRange.ALL);
  }

  /// b055: two row groups, 00 to 90 and 91 to ff, have these bounds once Iceberg merged them.
  @Test
  void b055_boundsOfSeveralRowGroupsHideNoUuid() {
    KeyColumns columns = KeyColumns.of(schema(Types.UUIDType.get()));
    ByteBuffer low = ByteBuffer.wrap(uuid(0x91));
    ByteBuffer high = ByteBuffer.wrap(uuid(0xff));
    try (VectorSchemaRoot rows =
        KeyRows.of(schema(Types.UUIDType.get()), rows(uuid(0), uuid(0x92)), allocator)) {
      KeyVector keys = columns.encode(rows);

      assertThat(columns.range(Map.of(1, low), Map.of(1, high), true).from(keys)).isZero();
      assertThat(columns.range(Map.of(1, low), Map.of(1, high), false).from(keys)).isOne();
    }
    ByteBuffer positive = ByteBuffer.wrap(uuid(0x10));
    assertThat(columns.range(Map.of(1, positive), Map.of(1, positive), true).lower()).isNotEmpty();
    assertThat(columns.range(Map.of(1, positive), Map.of(1, positive), true).upper()).isEmpty();
  }

  @Test
  void boundsFromBeforeAPromotionWidenTheRangeOrAreRight() {
    KeyColumns longs = KeyColumns.of(schema(Types.LongType.get()));
    KeyColumns times = KeyColumns.of(schema(Types.TimestampType.withoutZone()));
    Map<Integer, ByteBuffer> ofInt =
        Map.of(1, Conversions.toByteBuffer(Types.IntegerType.get(), 5));

    assertThat(longs.range(ofInt, ofInt, true))
        .isEqualTo(longs.range(Map.of(1, number(5)), Map.of(1, number(5)), true));
    assertThat(times.range(ofInt, ofInt, true)).isEqualTo(KeyRange.ALL);
  }

  @Test
  void anEncodedKeyReadsBackAsText() {
    Schema schema =
        schema(
            Types.StringType.get(),
            Types.IntegerType.get(),
            Types.DecimalType.of(20, 2),
            Types.DateType.get(),
            Types.BooleanType.get(),
            Types.UUIDType.get(),
            Types.FixedType.ofLength(2),
            Types.BinaryType.get());
    List<Object> row =
        List.of(
            "a\0b",
            -5,
            new BigDecimal("-12.30"),
            1,
            true,
            uuid(0x10),
            new byte[] {1, 2},
            new byte[] {0, 0});
    try (VectorSchemaRoot root = KeyRows.of(schema, List.of(row), allocator)) {
      KeyColumns columns = KeyColumns.of(schema);

      assertThat(columns.text(columns.encode(root).bytes(0)))
          .isEqualTo(
              "c1=a\0b, c2=-5, c3=-12.30, c4=1970-01-02, c5=true,"
                  + " c6=10000000-0000-0000-0000-000000000001, c7=AQI=, c8=AAA=");
    }
    assertThat(
            KeyColumns.of(schema(Types.StringType.get()))
                .text(encoded(Types.StringType.get(), "x".repeat(200))))
        .hasSize("c1=".length() + 100)
        .endsWith("…");
    assertThat(
            KeyColumns.of(schema(Types.TimestampType.withZone()))
                .text(encoded(Types.LongType.get(), -1_000_000L)))
        .isEqualTo("c1=1969-12-31T23:59:59+00:00");
  }

  @Test
  void rowsWithoutAKeyAreNamedAndTheOthersEncodedAsEver() {
    Schema schema = schema(Types.LongType.get(), Types.StringType.get());
    KeyColumns columns = KeyColumns.of(schema);
    List<List<Object>> rows = List.of(List.of(1L, "a"), List.of(2L, "b"), List.of(3L, "c"));
    try (VectorSchemaRoot root = KeyRows.of(schema, rows, allocator)) {
      KeyVector whole = columns.encode(root);
      assertThat(columns.nulls(root)).isEmpty();
      root.getVector(0).setNull(1);
      root.getVector(1).setNull(2);
      BitSet nulls = new BitSet();

      KeyVector keys = columns.encode(root, nulls);

      assertThat(nulls.stream()).containsExactly(1, 2);
      assertThat(columns.nulls(root).keySet()).containsExactly("c1", "c2");
      assertThat(keys.size()).isEqualTo(3);
      assertThat(keys.sameKey(0, whole, 0)).isTrue();
    }
  }

  @Test
  void concatAndSliceAndGatherKeepKeys() {
    Schema schema = schema(Types.StringType.get());
    KeyColumns columns = KeyColumns.of(schema);
    try (VectorSchemaRoot first = KeyRows.of(schema, rows("q", "a long one here"), allocator);
        VectorSchemaRoot second = KeyRows.of(schema, rows("", "zz", "b"), allocator)) {
      KeyVector one = columns.encode(first);
      KeyVector two = columns.encode(second);
      KeyVector all = KeyVector.concat(List.of(one, two.slice(1, 3), two.slice(0, 0)));

      assertThat(all.size()).isEqualTo(4);
      assertThat(all.sameKey(1, one, 1)).isTrue();
      assertThat(all.sameKey(3, two, 2)).isTrue();
      KeyVector picked = all.gather(new int[] {3, 0});
      assertThat(picked.sameKey(0, two, 2)).isTrue();
      assertThat(picked.compare(0, picked, 1)).isNegative();
    }
  }

  @Test
  void aTableWithoutIdentifierFieldsHasAnEmptyKey() {
    Schema schema =
        new Schema(List.of(NestedField.required(1, "f", Types.StringType.get())), Set.of(1));

    assertThat(KeyColumns.of(schema).isEmpty()).isFalse();
    assertThat(KeyColumns.of(new Schema()).isEmpty()).isTrue();
  }

  private void assertSameOrder(
      Type type, List<List<Object>> rows, Comparator<List<Object>> expected) {
    Schema schema = schema(type);
    try (VectorSchemaRoot root = KeyRows.of(schema, rows, allocator)) {
      KeyVector keys = KeyColumns.of(schema).encode(root);
      for (int i = 0; i < rows.size(); i++) {
        for (int j = 0; j < rows.size(); j++) {
          assertThat(Integer.signum(keys.compare(i, keys, j)))
              .isEqualTo(Integer.signum(expected.compare(rows.get(i), rows.get(j))));
        }
      }
    }
  }

  private void assertSortMatchesOracle(Schema schema, List<List<Object>> rows) {
    try (VectorSchemaRoot root = KeyRows.of(schema, rows, allocator)) {
      KeyVector keys = KeyColumns.of(schema).encode(root);
      Function<Integer, byte[]> bytes = keys::bytes;
      List<Integer> expected = new ArrayList<>();
      for (int i = 0; i < rows.size(); i++) {
        expected.add(i);
      }
      expected.sort((a, b) -> Arrays.compareUnsigned(bytes.apply(a), bytes.apply(b)));
      assertThat(Arrays.stream(keys.sort()).boxed().toList()).isEqualTo(expected);
    }
  }

  private byte[] encoded(Type type, Object value) {
    Schema schema = schema(type);
    try (VectorSchemaRoot root = KeyRows.of(schema, rows(value), allocator)) {
      return KeyColumns.of(schema).encode(root).bytes(0);
    }
  }

  private static Schema schema(Type... types) {
    List<NestedField> fields = new ArrayList<>();
    Set<Integer> ids = new HashSet<>();
    for (int i = 1; i <= types.length; i++) {
      fields.add(NestedField.required(i, "c" + i, types[i - 1]));
      ids.add(i);
    }
    return new Schema(fields, ids);
  }

  private static List<List<Object>> rows(Object... values) {
    return Arrays.stream(values).map(List::of).toList();
  }

  private static byte[] uuid(int first) {
    byte[] bytes = new byte[16];
    bytes[0] = (byte) first;
    bytes[15] = 1;
    return bytes;
  }

  private static List<Byte> boxed(byte[] bytes) {
    List<Byte> out = new ArrayList<>();
    for (byte b : bytes) {
      out.add(b);
    }
    return out;
  }

  private static ByteBuffer text(String value) {
    return Conversions.toByteBuffer(Types.StringType.get(), value);
  }

  private static ByteBuffer number(long value) {
    return Conversions.toByteBuffer(Types.LongType.get(), value);
  }
}
