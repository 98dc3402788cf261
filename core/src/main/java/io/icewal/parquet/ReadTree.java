package io.icewal.parquet;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.parquet.ParquetSchemaUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Type.Repetition;
import org.jspecify.annotations.Nullable;

/// Builds the tree of [ReadNode]s that makes a projection out of a file.
final class ReadTree {
  private final MessageType file;
  private final ReadContext context;
  private final BatchRows rows;
  private final Map<List<String>, LeafReader> leaves = new LinkedHashMap<>();

  /// @param file the file's schema, with field ids
  /// @param rows filled by the reader with the rows of each batch
  ReadTree(MessageType file, ReadContext context, BatchRows rows) {
    this.file = file;
    this.context = context;
    this.rows = rows;
  }

  List<ReadNode> columns(Schema projection) {
    List<ReadNode> nodes = new ArrayList<>();
    for (NestedField field : projection.columns()) {
      ReadNode metadata = metadataColumn(field);
      nodes.add(metadata != null ? metadata : child(field, file, new Spot(List.of(), 0, 0)));
    }
    return nodes;
  }

  /// The leaf columns to read.
  Collection<LeafReader> leaves() {
    return leaves.values();
  }

  private @Nullable ReadNode metadataColumn(NestedField field) {
    int id = field.fieldId();
    if (id == MetadataColumns.ROW_POSITION.fieldId()) {
      return new ReadNode.Numbers(field, new RowNumbers(rows, null, 0L, true));
    } else if (id == MetadataColumns.ROW_ID.fieldId()) {
      return new ReadNode.Numbers(
          field, new RowNumbers(rows, stored(field), context.firstRowId(), true));
    } else if (id == MetadataColumns.LAST_UPDATED_SEQUENCE_NUMBER.fieldId()) {
      // Rows of a file without row ids have no lineage at all.
      Long sequence = context.firstRowId() == null ? null : context.sequenceNumber();
      return new ReadNode.Numbers(field, new RowNumbers(rows, stored(field), sequence, false));
    } else if (id == MetadataColumns.IS_DELETED.fieldId()) {
      return new ReadNode.Constant(field, false);
    } else if (MetadataColumns.isMetadataColumn(field.name())
        && context.constants().containsKey(id)) {
      return new ReadNode.Constant(field, context.constants().get(id));
    }
    return null;
  }

  private @Nullable LeafReader stored(NestedField field) {
    Type type = find(file, field.fieldId());
    return type == null ? null : leaf(field, type.asPrimitiveType(), List.of(type.getName()));
  }

  /// A place in the file's schema: path and levels of a group.
  private record Spot(List<String> path, int definition, int repetition) {
    Spot in(Type type) {
      List<String> longer = new ArrayList<>(path);
      longer.add(type.getName());
      return new Spot(
          longer,
          definition + (type.isRepetition(Repetition.REQUIRED) ? 0 : 1),
          repetition + (type.isRepetition(Repetition.REPEATED) ? 1 : 0));
    }
  }

  private ReadNode child(NestedField field, GroupType group, Spot spot) {
    Type type = find(group, field.fieldId());
    if (type == null || field.type().typeId() == org.apache.iceberg.types.Type.TypeID.UNKNOWN) {
      boolean known = type == null && context.constants().containsKey(field.fieldId());
      return new ReadNode.Constant(
          field, known ? context.constants().get(field.fieldId()) : field.initialDefault());
    }
    return node(field, type, spot.in(type), placeOf(spot));
  }

  private final Map<List<String>, ReadNode.Place> places = new LinkedHashMap<>();

  private ReadNode.Place placeOf(Spot spot) {
    for (int length = spot.path.size(); length > 0; length--) {
      ReadNode.Place place = places.get(spot.path.subList(0, length));
      if (place != null) {
        return place;
      }
    }
    return ReadNode.Place.TOP;
  }

  private static @Nullable Type find(GroupType group, int fieldId) {
    for (Type type : group.getFields()) {
      if (type.getId() != null && type.getId().intValue() == fieldId) {
        return type;
      }
    }
    return null;
  }

  private ReadNode node(NestedField field, Type type, Spot spot, ReadNode.Place place) {
    if (type.isPrimitive() != field.type().isPrimitiveType()) {
      throw mismatch(field, type);
    }
    if (type.isPrimitive()) {
      return new ReadNode.Leaf(field, leaf(field, type.asPrimitiveType(), spot.path), place);
    }
    GroupType group = type.asGroupType();
    return switch (field.type().typeId()) {
      case STRUCT -> struct(field, group, spot, place);
      case LIST -> list(field, group, spot, place);
      case MAP -> map(field, group, spot, place);
      default -> throw mismatch(field, type);
    };
  }

  private ReadNode struct(NestedField field, GroupType group, Spot spot, ReadNode.Place place) {
    List<ReadNode> children = new ArrayList<>();
    for (NestedField child : field.type().asStructType().fields()) {
      children.add(child(child, group, spot));
    }
    return new ReadNode.Struct(field, children, levels(group, spot), spot.definition, place);
  }

  private ReadNode list(NestedField field, GroupType group, Spot spot, ReadNode.Place place) {
    Type repeated = group.getType(0);
    Spot inside = spot.in(repeated);
    ReadNode.Place elements = new ReadNode.Place(inside.definition, inside.repetition);
    places.put(inside.path, elements);
    Type element = ParquetSchemaUtil.determineListElementType(group);
    Spot elementSpot = element == repeated ? inside : inside.in(element);
    NestedField named =
        NestedField.from(field.type().asListType().fields().get(0)).withName("element").build();
    ReadNode child = node(named, element, elementSpot, elements);
    return new ReadNode.Repeated(
        field, List.of(child), levels(group, spot), spot.definition, place, elements);
  }

  private ReadNode map(NestedField field, GroupType group, Spot spot, ReadNode.Place place) {
    GroupType entry = group.getType(0).asGroupType();
    Spot inside = spot.in(entry);
    ReadNode.Place elements = new ReadNode.Place(inside.definition, inside.repetition);
    places.put(inside.path, elements);
    List<ReadNode> children = new ArrayList<>();
    for (int i = 0; i < entry.getFieldCount(); i++) {
      NestedField child = field.type().asMapType().fields().get(i);
      children.add(node(child, entry.getType(i), inside.in(entry.getType(i)), elements));
    }
    return new ReadNode.Repeated(
        field, children, levels(group, spot), spot.definition, place, elements);
  }

  /// A leaf below the group that is read anyway, else its first one.
  private LeafReader levels(GroupType group, Spot spot) {
    for (Map.Entry<List<String>, LeafReader> leaf : leaves.entrySet()) {
      if (leaf.getKey().size() > spot.path.size()
          && leaf.getKey().subList(0, spot.path.size()).equals(spot.path)) {
        return leaf.getValue();
      }
    }
    List<String> path = new ArrayList<>(spot.path);
    Type type = group;
    while (!type.isPrimitive()) {
      type = type.asGroupType().getType(0);
      path.add(type.getName());
    }
    PrimitiveType primitive = type.asPrimitiveType();
    return leaves.computeIfAbsent(
        path,
        key ->
            new LeafReader(
                file.getColumnDescription(key.toArray(String[]::new)),
                store(primitive, NumberMapping.SAME)));
  }

  private LeafReader leaf(NestedField field, PrimitiveType type, List<String> path) {
    if (!NumberMapping.fits(type, field.type())) {
      throw mismatch(field, type);
    }
    return leaves.computeIfAbsent(
        path,
        key ->
            new LeafReader(
                file.getColumnDescription(key.toArray(String[]::new)),
                store(type, NumberMapping.of(type, field.type()))));
  }

  static ValueStore store(PrimitiveType type, NumberMapping mapping) {
    return switch (type.getPrimitiveTypeName()) {
      case BINARY -> new BytesStore(0);
      case FIXED_LEN_BYTE_ARRAY -> new BytesStore(type.getTypeLength());
      default -> new NumberStore(type.getPrimitiveTypeName(), mapping);
    };
  }

  private static IcewalException mismatch(NestedField field, Type type) {
    return new IcewalException(
        ErrorKind.INVALID,
        "column "
            + field.name()
            + " (field "
            + field.fieldId()
            + ") of type "
            + field.type()
            + " cannot be read from Parquet's '"
            + type
            + "'");
  }
}
