package io.icewal.trino.read;

import io.icewal.merge.KeyColumns;
import io.trino.plugin.iceberg.ColumnIdentity;
import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.plugin.iceberg.IcebergUtil;
import io.trino.plugin.iceberg.TypeConverter;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// How UPDATE, DELETE and MERGE name the rows of a keyed table: by their key, as a ROW of its
/// fields in the order of their ids. Immutable.
public final class KeyRowId {
  /// Of no column: trino-iceberg's own row ids have the numbers below.
  private static final int FIELD_ID = Integer.MIN_VALUE + 100;

  private static final String NAME = "$icewal_key";

  private final Schema schema;
  private final KeyColumns key;
  private final TypeManager types;
  private final List<IcebergColumnHandle> fields;

  private KeyRowId(
      Schema schema, KeyColumns key, TypeManager types, List<IcebergColumnHandle> fields) {
    this.schema = schema;
    this.key = key;
    this.types = types;
    this.fields = fields;
  }

  public static KeyRowId of(Schema schema, TypeManager types) {
    KeyColumns key = KeyColumns.of(schema);
    return new KeyRowId(
        schema, key, types, key.fieldIds().stream().map(id -> field(schema, id, types)).toList());
  }

  /// A column, or a field within a struct.
  private static IcebergColumnHandle field(Schema schema, int id, TypeManager types) {
    List<Integer> path = new ArrayList<>();
    Integer top = id;
    java.util.Map<Integer, Integer> parents = TypeUtil.indexParents(schema.asStruct());
    for (Integer up = parents.get(top); up != null; up = parents.get(top)) {
      path.add(0, top);
      top = up;
    }
    IcebergColumnHandle base =
        IcebergUtil.getColumnHandle(Objects.requireNonNull(schema.findField(top)), types);
    return path.isEmpty()
        ? base
        : new IcebergColumnHandle.Builder(base)
            .path(path)
            .fieldType(base.getBaseType(), TypeConverter.toTrinoType(schema.findType(id), types))
            .build();
  }

  /// Whether a column is a row id.
  static boolean isRowId(ColumnHandle column) {
    return column instanceof IcebergColumnHandle iceberg && iceberg.getId() == FIELD_ID;
  }

  /// The column that holds it.
  public IcebergColumnHandle handle() {
    RowType type = RowType.anonymous(fields.stream().map(IcebergColumnHandle::getType).toList());
    List<ColumnIdentity> children =
        fields.stream()
            .map(
                field ->
                    ColumnIdentity.primitiveColumnIdentity(
                        FIELD_ID + 1 + fields.indexOf(field), "k" + fields.indexOf(field)))
            .toList();
    ColumnIdentity identity =
        new ColumnIdentity(FIELD_ID, NAME, ColumnIdentity.TypeCategory.STRUCT, children);
    return IcebergColumnHandle.required(identity).columnType(type).build();
  }

  /// The columns to read for it.
  List<IcebergColumnHandle> fields() {
    return fields;
  }

  /// Whether a row, in the table's columns, has the key that a row id says.
  public boolean isKeyOf(Block ids, int id, Page rows, int row) {
    List<Block> leaves = RowBlock.getRowFieldsFromBlock(ids.getRegion(id, 1));
    for (int i = 0; i < fields.size(); i++) {
      Block value = leafOf(rows, row, fields.get(i));
      Type type = fields.get(i).getType();
      Object left = io.trino.spi.type.TypeUtils.readNativeValue(type, leaves.get(i), 0);
      Object right = io.trino.spi.type.TypeUtils.readNativeValue(type, value, 0);
      if (!isSame(left, right)) {
        return false;
      }
    }
    return true;
  }

  /// A time is an instant, whatever zone it is told in.
  private static boolean isSame(@Nullable Object left, @Nullable Object right) {
    return left instanceof LongTimestampWithTimeZone one
            && right instanceof LongTimestampWithTimeZone other
        ? one.getEpochMillis() == other.getEpochMillis()
            && one.getPicosOfMilli() == other.getPicosOfMilli()
        : Objects.equals(left, right);
  }

  private Block leafOf(Page rows, int row, IcebergColumnHandle field) {
    List<NestedField> columns = schema.columns();
    int channel = 0;
    while (columns.get(channel).fieldId() != field.getBaseColumnIdentity().getId()) {
      channel++;
    }
    Block value = rows.getBlock(channel).getSingleValueBlock(row);
    org.apache.iceberg.types.Type type = columns.get(channel).type();
    for (int id : field.getPath()) {
      List<NestedField> children = type.asStructType().fields();
      int at = 0;
      while (children.get(at).fieldId() != id) {
        at++;
      }
      value = RowBlock.getRowFieldsFromBlock(value).get(at);
      type = children.get(at).type();
    }
    return value;
  }

  /// The columns of blocks of keys ([KeyColumns#keySchema]).
  ///
  /// @param leaves the fields of row ids
  public List<Block> columns(List<Block> leaves, int rows) {
    return key.keySchema().columns().stream().map(column -> column(column, leaves, rows)).toList();
  }

  private Block column(NestedField column, List<Block> leaves, int rows) {
    if (!column.type().isStructType()) {
      return leaves.get(key.fieldIds().indexOf(column.fieldId()));
    }
    Block[] children =
        column.type().asStructType().fields().stream()
            .map(child -> column(child, leaves, rows))
            .toArray(Block[]::new);
    return RowBlock.fromFieldBlocks(rows, children);
  }

  public List<Type> columnTypes() {
    return key.keySchema().columns().stream()
        .map(column -> TypeConverter.toTrinoType(column.type(), types))
        .toList();
  }
}
