package io.icewal.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// A table of the simulation, drawn by the seed: keyed or append-only, one or two key columns of
/// any key type, a `token` that names the write, and value columns that follow from the token, so
/// that a row read anywhere can be checked without remembering it.
final class TableShape {
  static final String TOKEN = "token";

  private static final List<Type> KEY_TYPES =
      List.of(
          Types.LongType.get(),
          Types.StringType.get(),
          Types.IntegerType.get(),
          Types.DecimalType.of(12, 2),
          Types.UUIDType.get(),
          Types.DateType.get());
  private static final List<Type> VALUE_TYPES =
      List.of(
          Types.StringType.get(),
          Types.DoubleType.get(),
          Types.IntegerType.get(),
          Types.FloatType.get(),
          Types.BooleanType.get(),
          Types.TimestampType.withZone(),
          Types.DecimalType.of(20, 3),
          Types.ListType.ofOptional(901, Types.StringType.get()),
          Types.StructType.of(
              NestedField.optional(911, "x", Types.IntegerType.get()),
              NestedField.optional(912, "y", Types.StringType.get())));

  final TableIdentifier identifier;
  final boolean keyed;
  final Schema schema;
  final PartitionSpec spec;
  final int keys;
  final int tokenId;
  private final Map<List<Object>, Integer> numbers = new HashMap<>();

  private TableShape(
      TableIdentifier identifier, boolean keyed, Schema schema, PartitionSpec spec, int keys) {
    this.identifier = identifier;
    this.keyed = keyed;
    this.schema = schema;
    this.spec = spec;
    this.keys = keys;
    this.tokenId = schema.findField(TOKEN).fieldId();
    for (int number = 0; keyed && number < keys; number++) {
      List<Object> values = new ArrayList<>();
      key(number).values().forEach(value -> values.add(String.valueOf(value)));
      numbers.put(values, number);
    }
  }

  static TableShape draw(RandomGenerator random, String name, boolean keyed) {
    List<NestedField> columns = new ArrayList<>();
    Set<Integer> key = new HashSet<>();
    int keyColumns = keyed ? 1 + random.nextInt(2) : 0;
    for (int i = 0; i < keyColumns; i++) {
      Type type = KEY_TYPES.get(random.nextInt(KEY_TYPES.size()));
      columns.add(NestedField.required(10 + i, "k" + i, type));
      key.add(10 + i);
    }
    columns.add(
        random.nextInt(columns.size() + 1), NestedField.required(1, TOKEN, Types.LongType.get()));
    int values = 1 + random.nextInt(3);
    for (int i = 0; i < values; i++) {
      Type type = VALUE_TYPES.get(random.nextInt(VALUE_TYPES.size()));
      columns.add(NestedField.optional(20 + i, "v" + i, freshIds(type, 1000 + 10 * i)));
    }
    // Ids as a catalog assigns them.
    Schema drawn = new Schema(columns, key);
    Schema schema =
        TableMetadata.newTableMetadata(drawn, PartitionSpec.unpartitioned(), "sim:", Map.of())
            .schema();
    PartitionSpec spec = drawSpec(random, schema, keyed);
    return new TableShape(
        TableIdentifier.of("ns", name), keyed, schema, spec, 3 + random.nextInt(40));
  }

  /// A type that a column may have, with the field ids of its parts as a draft.
  static Type drawType(RandomGenerator random) {
    return freshIds(VALUE_TYPES.get(random.nextInt(VALUE_TYPES.size())), 1000);
  }

  private static Type freshIds(Type type, int from) {
    int[] next = {from};
    return org.apache.iceberg.types.TypeUtil.assignIds(type, old -> next[0]++);
  }

  private static PartitionSpec drawSpec(RandomGenerator random, Schema schema, boolean keyed) {
    PartitionSpec.Builder spec = PartitionSpec.builderFor(schema);
    return switch (random.nextInt(3)) {
      case 0 -> spec.build();
      case 1 -> spec.bucket(keyed ? "k0" : TOKEN, 3).build();
      default -> spec.bucket(TOKEN, 2).build(); // a key moves between partitions
    };
  }

  /// The values of the key columns for a key's number, by field id.
  Map<Integer, @Nullable Object> key(int number) {
    Map<Integer, @Nullable Object> values = new LinkedHashMap<>();
    TreeSet<Integer> ids = new TreeSet<>(schema.identifierFieldIds());
    for (int id : ids) {
      // The first of two columns repeats, so that composite keys share it.
      long n = ids.size() == 2 && id == ids.first() ? number / 3 : number;
      values.put(id, Values.of(schema.findType(id), n, false));
    }
    return values;
  }

  /// The number of the key in a row's plain values by field id.
  int keyNumber(Map<Integer, @Nullable Object> row) {
    if (!keyed) {
      return ReferenceTable.NO_KEY;
    }
    List<Object> values = new ArrayList<>();
    for (int id : new TreeSet<>(schema.identifierFieldIds())) {
      values.add(String.valueOf(row.get(id)));
    }
    Integer number = numbers.get(values);
    if (number == null) {
      throw new AssertionError("no key of " + identifier + " has the values " + values);
    }
    return number;
  }

  /// The value of a column in the row that a token names.
  @Nullable Object value(NestedField column, long token) {
    if (column.fieldId() == tokenId) {
      return token;
    }
    return Values.of(column.type(), token + column.fieldId(), column.isOptional());
  }

  @Override
  public String toString() {
    return identifier + (keyed ? " keyed " : " append-only ") + schema + " " + spec;
  }
}
