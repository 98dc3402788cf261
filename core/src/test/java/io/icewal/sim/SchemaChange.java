package io.icewal.sim;

import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// One change of a table's schema that another engine makes: a column added, renamed, promoted,
/// moved, dropped, or added again under a name that was dropped.
///
/// @param kind what is done
/// @param column the name of the column
/// @param name the other name that the change needs
/// @param type the new type, if there is one
record SchemaChange(Kind kind, String column, String name, @Nullable Type type) {
  /// What can be done.
  enum Kind {
    ADD,
    ADD_WITH_DEFAULT,
    RENAME,
    DROP,
    PROMOTE,
    MOVE,
    NOTHING
  }

  /// The default of columns that have one.
  static final int DEFAULT = 4711;

  private static final int NAMES = 6;

  static SchemaChange draw(RandomGenerator random, TableShape shape, Schema schema) {
    List<String> free =
        IntStream.range(0, NAMES)
            .mapToObj(i -> "v" + i)
            .filter(name -> schema.findField(name) == null)
            .toList();
    List<NestedField> values =
        schema.columns().stream()
            .filter(column -> column.fieldId() != shape.tokenId)
            .filter(column -> !schema.identifierFieldIds().contains(column.fieldId()))
            .toList();
    String name = free.isEmpty() ? "" : free.get(random.nextInt(free.size()));
    NestedField any = schema.columns().get(random.nextInt(schema.columns().size()));
    NestedField value = values.isEmpty() ? any : values.get(random.nextInt(values.size()));
    return switch (random.nextInt(6)) {
      case 0 ->
          name.isEmpty()
              ? nothing()
              : new SchemaChange(Kind.ADD, name, name, TableShape.drawType(random));
      case 1 ->
          name.isEmpty()
              ? nothing()
              : new SchemaChange(Kind.ADD_WITH_DEFAULT, name, name, Types.IntegerType.get());
      case 2 ->
          name.isEmpty() || any.fieldId() == shape.tokenId
              ? nothing()
              : new SchemaChange(Kind.RENAME, any.name(), name, null);
      case 3 -> values.isEmpty() ? nothing() : new SchemaChange(Kind.DROP, value.name(), "", null);
      case 4 -> promotion(schema, any);
      default -> new SchemaChange(Kind.MOVE, any.name(), "", null);
    };
  }

  private static SchemaChange promotion(Schema schema, NestedField preferred) {
    NestedField column =
        wider(preferred.type()) != null
            ? preferred
            : schema.columns().stream()
                .filter(field -> wider(field.type()) != null)
                .findFirst()
                .orElse(preferred);
    Type wider = wider(column.type());
    return wider == null ? nothing() : new SchemaChange(Kind.PROMOTE, column.name(), "", wider);
  }

  private static @Nullable Type wider(Type type) {
    return switch (type.typeId()) {
      case INTEGER -> Types.LongType.get();
      case FLOAT -> Types.DoubleType.get();
      case DECIMAL -> {
        Types.DecimalType decimal = (Types.DecimalType) type;
        yield decimal.precision() < 30
            ? Types.DecimalType.of(decimal.precision() + 9, decimal.scale())
            : null;
      }
      default -> null;
    };
  }

  private static SchemaChange nothing() {
    return new SchemaChange(Kind.NOTHING, "", "", null);
  }

  void apply(Table table) {
    UpdateSchema update = table.updateSchema();
    switch (kind) {
      case ADD -> update.addColumn(column, type);
      case ADD_WITH_DEFAULT -> update.addColumn(column, type, "", Literal.of(DEFAULT));
      case RENAME -> update.renameColumn(column, name);
      case DROP -> update.deleteColumn(column);
      case PROMOTE ->
          update.updateColumn(column, java.util.Objects.requireNonNull(type).asPrimitiveType());
      case MOVE -> update.moveFirst(column);
      case NOTHING -> {
        return;
      }
    }
    update.commit();
  }
}
