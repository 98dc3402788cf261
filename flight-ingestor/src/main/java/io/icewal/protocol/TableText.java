package io.icewal.protocol;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/// The form in which people write a table's columns and partitioning: `id bigint not null, at
/// timestamptz, tags list<string>, place struct<lat double, lon double>` and `day(at), bucket(16,
/// id)`. Names with other characters than letters, digits, `_` and `$` stand in double quotes or
/// backticks. Types are spelled as in Iceberg, Spark or Trino.
public final class TableText {
  private final Tokens tokens;
  private int lastId;

  private TableText(Tokens tokens) {
    this.tokens = tokens;
  }

  /// Reads columns.
  ///
  /// @param key names of the primary key's columns, which thereby become required; empty for an
  ///   append-only table
  /// @throws IcewalException INVALID if the text is not understood or the key is not possible
  public static Schema schema(String columns, List<String> key) {
    List<NestedField> fields = new TableText(new Tokens(columns)).columns(new HashSet<>(key));
    try {
      Schema plain = new Schema(fields);
      Set<Integer> ids = new LinkedHashSet<>();
      for (String name : key) {
        NestedField field = plain.findField(name);
        if (field == null) {
          throw new IcewalException(
              ErrorKind.INVALID,
              "key column '" + name + "' is not among the columns " + names(plain));
        }
        ids.add(field.fieldId());
      }
      return new Schema(fields, ids);
    } catch (IllegalArgumentException | ValidationException e) {
      throw new IcewalException(
          ErrorKind.INVALID, "columns are not possible: " + e.getMessage(), e);
    }
  }

  /// Reads a partitioning; the empty text is none.
  ///
  /// @throws IcewalException INVALID if the text is not understood or does not fit the schema
  public static PartitionSpec partition(Schema schema, String text) {
    Tokens tokens = new Tokens(text);
    if (tokens.isEmpty()) {
      return PartitionSpec.unpartitioned();
    }
    PartitionSpec.Builder spec = PartitionSpec.builderFor(schema);
    try {
      do {
        addPartition(spec, schema, tokens);
      } while (tokens.take(","));
      if (!tokens.isEmpty()) {
        throw tokens.error("',' or the end");
      }
      return spec.build();
    } catch (IllegalArgumentException | ValidationException e) {
      throw new IcewalException(
          ErrorKind.INVALID, "partitioning '" + text + "' is not possible: " + e.getMessage(), e);
    }
  }

  private static void addPartition(PartitionSpec.Builder spec, Schema schema, Tokens tokens) {
    String first = tokens.name();
    if (!tokens.take("(")) {
      spec.identity(columnPath(schema, tokens, first));
      return;
    }
    int width = 0;
    if (tokens.atNumber()) {
      width = tokens.number();
      tokens.expect(",");
    }
    String column = columnPath(schema, tokens, tokens.name());
    if (width == 0 && tokens.take(",")) {
      width = tokens.number();
    }
    tokens.expect(")");
    switch (first.toLowerCase(Locale.ROOT)) {
      case "identity" -> spec.identity(column);
      case "year", "years" -> spec.year(column);
      case "month", "months" -> spec.month(column);
      case "day", "days" -> spec.day(column);
      case "hour", "hours" -> spec.hour(column);
      case "bucket" -> spec.bucket(column, width);
      case "truncate" -> spec.truncate(column, width);
      default ->
          throw new IcewalException(
              ErrorKind.INVALID,
              "unknown partition transform '"
                  + first
                  + "'; known: identity, year, month, day, hour, bucket, truncate");
    }
  }

  private static String columnPath(Schema schema, Tokens tokens, String first) {
    StringBuilder path = new StringBuilder(first);
    while (tokens.take(".")) {
      path.append('.').append(tokens.name());
    }
    if (schema.findField(path.toString()) == null) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "partition column '" + path + "' is not among the columns " + names(schema));
    }
    return path.toString();
  }

  private static List<String> names(Schema schema) {
    return schema.columns().stream().map(NestedField::name).toList();
  }

  private List<NestedField> columns(Set<String> required) {
    List<NestedField> fields = new ArrayList<>();
    do {
      NestedField field = field();
      fields.add(required.contains(field.name()) ? field.asRequired() : field);
    } while (tokens.take(","));
    if (!tokens.isEmpty()) {
      throw tokens.error("',' or the end");
    }
    return fields;
  }

  private NestedField field() {
    String name = tokens.name();
    tokens.take(":");
    int id = ++lastId;
    Type type = type();
    return takeNotNull()
        ? NestedField.required(id, name, type)
        : NestedField.optional(id, name, type);
  }

  private boolean takeNotNull() {
    if (!tokens.take("not")) {
      return false;
    }
    tokens.expect("null");
    return true;
  }

  private Type type() {
    String word = tokens.word();
    return switch (word) {
      case "struct", "row" -> struct();
      case "list", "array" -> list();
      case "map" -> map();
      case "decimal", "numeric" -> decimal();
      case "fixed" -> fixed();
      default -> simple(word);
    };
  }

  private Type simple(String word) {
    return switch (word) {
      case "boolean", "bool" -> Types.BooleanType.get();
      case "int", "integer" -> Types.IntegerType.get();
      case "long", "bigint" -> Types.LongType.get();
      case "float", "real" -> Types.FloatType.get();
      case "double" -> Types.DoubleType.get();
      case "date" -> Types.DateType.get();
      case "time" -> Types.TimeType.get();
      case "timestamp" -> Types.TimestampType.withoutZone();
      case "timestamptz" -> Types.TimestampType.withZone();
      case "timestamp_ns" -> Types.TimestampNanoType.withoutZone();
      case "timestamptz_ns" -> Types.TimestampNanoType.withZone();
      case "string", "varchar", "text" -> Types.StringType.get();
      case "uuid" -> Types.UUIDType.get();
      case "binary", "varbinary" -> Types.BinaryType.get();
      case "unknown" -> Types.UnknownType.get();
      default ->
          throw new IcewalException(
              ErrorKind.INVALID,
              "unknown type '"
                  + word
                  + "'; known: boolean, int, bigint, float, double, decimal(p,s), date, time,"
                  + " timestamp, timestamptz, timestamp_ns, timestamptz_ns, string, uuid, fixed(n),"
                  + " binary, struct<…>, list<…>, map<…>, unknown");
    };
  }

  private Type decimal() {
    tokens.expect("(");
    int precision = tokens.number();
    int scale = tokens.take(",") ? tokens.number() : 0;
    tokens.expect(")");
    return Types.DecimalType.of(precision, scale);
  }

  private Type fixed() {
    String end = tokens.take("[") ? "]" : ")";
    if (end.equals(")")) {
      tokens.expect("(");
    }
    int length = tokens.number();
    tokens.expect(end);
    return Types.FixedType.ofLength(length);
  }

  private Type struct() {
    tokens.expect("<");
    List<NestedField> fields = new ArrayList<>();
    do {
      fields.add(field());
    } while (tokens.take(","));
    tokens.expect(">");
    return Types.StructType.of(fields);
  }

  private Type list() {
    tokens.expect("<");
    int id = ++lastId;
    Type element = type();
    boolean required = takeNotNull();
    tokens.expect(">");
    return required
        ? Types.ListType.ofRequired(id, element)
        : Types.ListType.ofOptional(id, element);
  }

  private Type map() {
    tokens.expect("<");
    int keyId = ++lastId;
    int valueId = ++lastId;
    Type key = type();
    tokens.expect(",");
    Type value = type();
    boolean required = takeNotNull();
    tokens.expect(">");
    return required
        ? Types.MapType.ofRequired(keyId, valueId, key, value)
        : Types.MapType.ofOptional(keyId, valueId, key, value);
  }
}
