package io.icewal.wal;

import io.icewal.model.ArrowSchemas;
import io.icewal.wal.proto.WalProto;
import java.util.HashSet;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/// Iceberg columns as protobuf messages: ids, names, types, nested ones too; no docs, no defaults
/// (those are the table's).
final class ColumnCodec {
  private static final String STRUCT = "struct";
  private static final String LIST = "list";
  private static final String MAP = "map";

  private ColumnCodec() {}

  /// @throws IllegalArgumentException if the fields are nested deeper than readers go
  static List<WalProto.Column> encode(List<NestedField> fields) {
    return encode(fields, 1);
  }

  private static List<WalProto.Column> encode(List<NestedField> fields, int depth) {
    if (depth > ArrowSchemas.DEPTH_MAX) {
      throw new IllegalArgumentException(
          "columns are nested more than " + ArrowSchemas.DEPTH_MAX + " fields deep");
    }
    return fields.stream().map(field -> encode(field, depth)).toList();
  }

  static Schema decode(int schemaId, List<WalProto.Column> columns, List<Integer> keyFieldIds) {
    return new Schema(schemaId, fields(columns), new HashSet<>(keyFieldIds));
  }

  private static WalProto.Column encode(NestedField field, int depth) {
    Type type = field.type();
    WalProto.Column.Builder column =
        WalProto.Column.newBuilder()
            .setId(field.fieldId())
            .setName(field.name())
            .setRequired(field.isRequired());
    if (type.isPrimitiveType()) {
      return column.setType(type.toString()).build();
    }
    if (!type.isNestedType()) {
      throw new IllegalArgumentException("type " + type + " is not stored");
    }
    String name = type.isStructType() ? STRUCT : type.isListType() ? LIST : MAP;
    return column
        .setType(name)
        .addAllChildren(encode(type.asNestedType().fields(), depth + 1))
        .build();
  }

  private static List<NestedField> fields(List<WalProto.Column> columns) {
    return columns.stream().map(ColumnCodec::decode).toList();
  }

  private static NestedField decode(WalProto.Column column) {
    return column.getRequired()
        ? NestedField.required(column.getId(), column.getName(), type(column))
        : NestedField.optional(column.getId(), column.getName(), type(column));
  }

  private static Type type(WalProto.Column column) {
    List<NestedField> children = fields(column.getChildrenList());
    return switch (column.getType()) {
      case STRUCT -> Types.StructType.of(children);
      case LIST -> {
        NestedField element = child(column, children, 0, 1);
        yield element.isOptional()
            ? Types.ListType.ofOptional(element.fieldId(), element.type())
            : Types.ListType.ofRequired(element.fieldId(), element.type());
      }
      case MAP -> {
        NestedField key = child(column, children, 0, 2);
        NestedField value = child(column, children, 1, 2);
        yield value.isOptional()
            ? Types.MapType.ofOptional(key.fieldId(), value.fieldId(), key.type(), value.type())
            : Types.MapType.ofRequired(key.fieldId(), value.fieldId(), key.type(), value.type());
      }
      default -> Types.fromPrimitiveString(column.getType());
    };
  }

  private static NestedField child(
      WalProto.Column column, List<NestedField> children, int index, int expected) {
    if (children.size() != expected) {
      throw new IllegalArgumentException(
          "column "
              + column.getId()
              + " of type "
              + column.getType()
              + " has "
              + children.size()
              + " children");
    }
    return children.get(index);
  }
}
