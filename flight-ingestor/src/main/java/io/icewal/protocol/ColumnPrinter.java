package io.icewal.protocol;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/// Schemas and partition specs in the text that [ColumnText] and [PartitionText] read.
public final class ColumnPrinter {
  private ColumnPrinter() {}

  public static String columns(List<NestedField> fields) {
    return fields.stream().map(ColumnPrinter::column).collect(Collectors.joining(", "));
  }

  /// One column, such as `id bigint not null`.
  public static String column(NestedField field) {
    return name(field.name()) + " " + type(field.type()) + (field.isRequired() ? " not null" : "");
  }

  public static String type(Type type) {
    return switch (type.typeId()) {
      case INTEGER -> "int";
      case LONG -> "bigint";
      case DECIMAL -> {
        Types.DecimalType decimal = (Types.DecimalType) type;
        yield "decimal(" + decimal.precision() + "," + decimal.scale() + ")";
      }
      case FIXED -> "fixed(" + ((Types.FixedType) type).length() + ")";
      case STRUCT -> "struct<" + columns(type.asStructType().fields()) + ">";
      case LIST -> {
        Types.ListType list = type.asListType();
        yield "list<" + nested(list.elementType(), list.isElementOptional()) + ">";
      }
      case MAP -> {
        Types.MapType map = type.asMapType();
        String value = nested(map.valueType(), map.isValueOptional());
        yield "map<" + type(map.keyType()) + ", " + value + ">";
      }
      default -> type.toString();
    };
  }

  /// The key columns' names, in ascending field id order.
  public static String key(Schema schema) {
    return schema.identifierFieldIds().stream()
        .sorted()
        .map(schema::findColumnName)
        .collect(Collectors.joining(","));
  }

  /// A partition spec, such as `day(at), bucket(16,id)`; empty when unpartitioned.
  public static String partitions(PartitionSpec spec) {
    return spec.fields().stream()
        .map(field -> partition(spec, field))
        .collect(Collectors.joining(", "));
  }

  private static String partition(PartitionSpec spec, PartitionField field) {
    String column = spec.schema().findColumnName(field.sourceId());
    String transform = field.transform().toString();
    int bracket = transform.indexOf('[');
    if (transform.equals("identity")) {
      return column;
    }
    if (bracket < 0) {
      return transform + "(" + column + ")";
    }
    String argument = transform.substring(bracket + 1, transform.length() - 1);
    return transform.substring(0, bracket) + "(" + argument + "," + column + ")";
  }

  private static String nested(Type type, boolean optional) {
    return type(type) + (optional ? "" : " not null");
  }

  private static String name(String name) {
    boolean plain = name.codePoints().allMatch(c -> Character.isLetterOrDigit(c) || c == '_');
    return plain && !name.isEmpty() ? name : '"' + name.replace("\"", "\"\"") + '"';
  }
}
