package io.icewal.protocol;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// The column list of a table to create: `name type [not null]`, separated by commas.
///
/// Types: boolean, int, bigint (long), float (real), double, decimal(p,s), date, time, timestamp,
/// timestamptz, timestamp_ns, timestamptz_ns, string (varchar, text), uuid, fixed(n), binary,
/// `struct<name type, …>`, `list<type>`, `map<type, type>`, unknown. A `not null` may follow a type
/// inside a struct, list or map value too.
public final class ColumnText {
  private static final String WHAT = "columns";

  /// As deep as tables of icewal may be, and some more: the exact bound is the table's to say.
  private static final int DEPTH_MAX = 100;

  private final TextScanner in;
  private int nextId = 1;
  private int depth;

  private ColumnText(String text) {
    this.in = new TextScanner(WHAT, text);
  }

  /// Reads a column list. Field ids are given in the order of the text; the catalog may give
  /// others.
  ///
  /// @throws IcewalException INVALID naming the place
  public static List<NestedField> columns(String text) {
    ColumnText columns = new ColumnText(text);
    List<NestedField> fields = columns.fields();
    if (!columns.in.atEnd()) {
      throw columns.in.unexpected("',' or the end");
    }
    return fields;
  }

  /// A schema whose identifier fields are the given key columns, which become `not null`.
  ///
  /// @param key dotted names, empty for an append-only table
  /// @throws IcewalException INVALID if a key column does not exist, or its type cannot be a key's
  public static Schema schema(List<NestedField> columns, List<String> key) {
    Set<String> wanted = new HashSet<>(key);
    List<NestedField> fields = new ArrayList<>();
    for (NestedField column : columns) {
      fields.add(wanted.remove(column.name()) ? column.asRequired() : column);
    }
    Schema schema = new Schema(fields);
    Set<Integer> ids = new HashSet<>();
    for (String name : key) {
      NestedField field = schema.findField(name);
      if (field == null) {
        throw new IcewalException(ErrorKind.INVALID, noSuchColumn("key", name, columns));
      }
      ids.add(field.fieldId());
    }
    try {
      return new Schema(fields, ids);
    } catch (IllegalArgumentException e) {
      throw new IcewalException(ErrorKind.INVALID, "key: " + e.getMessage(), e);
    }
  }

  static String noSuchColumn(String option, String name, List<NestedField> columns) {
    return option
        + ": no column '"
        + name
        + "'; the columns are "
        + columns.stream().map(NestedField::name).collect(Collectors.joining(", "));
  }

  private List<NestedField> fields() {
    List<NestedField> fields = new ArrayList<>();
    Set<String> names = new HashSet<>();
    do {
      int id = nextId++;
      String name = in.name();
      if (!names.add(name)) {
        throw new IcewalException(ErrorKind.INVALID, WHAT + ": column '" + name + "' stands twice");
      }
      in.take(':');
      Type type = type();
      fields.add(field(id, name, type, isOptional()));
    } while (in.take(','));
    return fields;
  }

  private static NestedField field(int id, String name, Type type, boolean optional) {
    return optional ? NestedField.optional(id, name, type) : NestedField.required(id, name, type);
  }

  private boolean isOptional() {
    if (!in.takeWord("not")) {
      in.takeWord("null");
      return true;
    }
    if (!in.takeWord("null")) {
      throw in.unexpected("'null' after 'not'");
    }
    return false;
  }

  private Type type() {
    String word = in.keyword();
    Type primitive = primitive(word);
    if (primitive != null) {
      return primitive;
    }
    return switch (word) {
      case "decimal", "numeric" -> decimal();
      case "fixed" -> fixed();
      case "struct", "row" -> nested(this::struct);
      case "list", "array" -> nested(this::list);
      case "map" -> nested(this::map);
      default ->
          throw new IcewalException(
              ErrorKind.INVALID,
              WHAT
                  + ": unknown type '"
                  + word
                  + "'; the types are boolean, int, bigint, float, double, decimal(p,s), date, time,"
                  + " timestamp, timestamptz, timestamp_ns, timestamptz_ns, string, uuid, fixed(n),"
                  + " binary, struct<…>, list<…>, map<…>, unknown");
    };
  }

  private static @Nullable Type primitive(String word) {
    return switch (word) {
      case "boolean", "bool" -> Types.BooleanType.get();
      case "int", "integer" -> Types.IntegerType.get();
      case "bigint", "long" -> Types.LongType.get();
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
      default -> null;
    };
  }

  private Type decimal() {
    in.expect('(');
    int precision = in.number();
    int scale = in.take(',') ? in.number() : 0;
    in.expect(')');
    if (precision < 1 || precision > 38 || scale > precision) {
      throw new IcewalException(
          ErrorKind.INVALID,
          WHAT
              + ": decimal("
              + precision
              + ","
              + scale
              + ") is not a type; precision is 1 to 38, scale 0 to the precision");
    }
    return Types.DecimalType.of(precision, scale);
  }

  private Type fixed() {
    boolean square = in.take('[');
    if (!square) {
      in.expect('(');
    }
    int length = in.number();
    in.expect(square ? ']' : ')');
    return Types.FixedType.ofLength(length);
  }

  private Type nested(Supplier<Type> type) {
    if (++depth > DEPTH_MAX) {
      throw new IcewalException(
          ErrorKind.INVALID, WHAT + ": types are nested more than " + DEPTH_MAX + " deep");
    }
    Type read = type.get();
    depth--;
    return read;
  }

  private Type struct() {
    in.expect('<');
    List<NestedField> fields = fields();
    in.expect('>');
    return Types.StructType.of(fields);
  }

  private Type list() {
    in.expect('<');
    int id = nextId++;
    Type element = type();
    boolean optional = isOptional();
    in.expect('>');
    return optional
        ? Types.ListType.ofOptional(id, element)
        : Types.ListType.ofRequired(id, element);
  }

  private Type map() {
    in.expect('<');
    int keyId = nextId++;
    int valueId = nextId++;
    Type key = type();
    in.expect(',');
    Type value = type();
    boolean optional = isOptional();
    in.expect('>');
    return optional
        ? Types.MapType.ofOptional(keyId, valueId, key, value)
        : Types.MapType.ofRequired(keyId, valueId, key, value);
  }
}
