package io.icewal.merge;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/// The primary key of a table: its Iceberg identifier fields in ascending field id order.
///
/// A key's encoding is the concatenation of its components' encodings, each order-preserving and
/// free of prefixes:
///
/// | type | bytes |
/// |---|---|
/// | boolean | 1 |
/// | int, long, date, time, timestamps | 8, big-endian, sign bit flipped |
/// | decimal | 16, big-endian unscaled value, sign bit flipped |
/// | string, binary | the bytes with 00 written as 00 FF, ended by 00 01 |
/// | uuid, fixed | the raw bytes |
///
/// Immutable.
public final class KeyColumns {
  /// One component: the way from a top-level column down to the field.
  private record Component(int fieldId, String name, int[] path, Type type) {}

  private final List<Component> components;
  private final Schema keySchema;
  private final boolean exact;

  private KeyColumns(List<Component> components, Schema keySchema) {
    this.components = components;
    this.keySchema = keySchema;
    this.exact = components.size() == 1 && KeyEncoding.isInteger(components.get(0).type().typeId());
  }

  /// The key of a schema; empty for an append-only table.
  ///
  /// @throws IcewalException INVALID for a key component that cannot be one (float, double, nested
  ///   types other than struct)
  public static KeyColumns of(Schema schema) {
    List<Integer> ids = new ArrayList<>(schema.identifierFieldIds());
    Collections.sort(ids);
    Map<Integer, Integer> parents = TypeUtil.indexParents(schema.asStruct());
    List<Component> components = new ArrayList<>();
    for (int id : ids) {
      components.add(component(schema, parents, id));
    }
    Set<Integer> idSet = new HashSet<>(ids);
    List<Types.NestedField> columns =
        ids.isEmpty() ? List.of() : TypeUtil.select(schema, idSet).columns();
    return new KeyColumns(List.copyOf(components), new Schema(columns, idSet));
  }

  private static Component component(Schema schema, Map<Integer, Integer> parents, int id) {
    Types.NestedField field = schema.findField(id);
    String name = schema.findColumnName(id);
    if (field == null || name == null) {
      throw new IllegalArgumentException("schema without its identifier field " + id);
    }
    checkType(name, field.type());
    List<Integer> path = new ArrayList<>(List.of(id));
    for (Integer parent = parents.get(id); parent != null; parent = parents.get(parent)) {
      path.add(0, parent);
    }
    return new Component(
        id, name, path.stream().mapToInt(Integer::intValue).toArray(), field.type());
  }

  /// Refuses a type that a component cannot have.
  ///
  /// @param name the column, for the message
  /// @throws IcewalException INVALID
  public static void checkType(String name, Type type) {
    if (!KeyEncoding.isSupported(type.typeId())) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "column '"
              + name
              + "' of type "
              + type
              + " cannot be part of a primary key; boolean, int, long, decimal, date, time,"
              + " timestamp, string, binary, uuid and fixed can");
    }
  }

  /// True for an append-only table.
  public boolean isEmpty() {
    return components.isEmpty();
  }

  /// The components' field ids, ascending.
  public List<Integer> fieldIds() {
    return components.stream().map(Component::fieldId).toList();
  }

  /// The key columns alone, nested ones within their structs, with the identifier fields set.
  public Schema keySchema() {
    return keySchema;
  }

  /// Whether [KeyVector#prefix] alone is the whole key: one integer-like component.
  public boolean isExact() {
    return exact;
  }

  /// Whether both name the same fields. Types do not count: the encoding outlives promotions.
  public boolean sameFields(KeyColumns other) {
    return fieldIds().equals(other.fieldIds());
  }

  /// Whether both name the same fields with the same types: files that are written by one can be
  /// read by the other.
  public boolean sameTypes(KeyColumns other) {
    return types().equals(other.types());
  }

  private Map<Integer, Type> types() {
    return components.stream().collect(Collectors.toMap(Component::fieldId, Component::type));
  }

  /// Encodes the keys of all rows; the columns are found by field id. Keeps nothing of `rows`.
  ///
  /// @throws IcewalException INVALID for a null in a key column or a missing key column
  public KeyVector encode(VectorSchemaRoot rows) {
    int count = rows.getRowCount();
    List<FieldVector> vectors = new ArrayList<>(components.size());
    for (Component component : components) {
      List<FieldVector> path = KeyEncoding.resolve(rows, component.path(), component.name());
      path.forEach(vector -> KeyEncoding.checkNoNulls(vector, count, component.name()));
      vectors.add(path.get(path.size() - 1));
    }
    return encode(vectors, count);
  }

  /// Encodes the keys of rows that another engine wrote, which may have nulls: such a row has no
  /// key, and what stands in its place means nothing.
  ///
  /// @param nulls the rows without a key are added to it
  public KeyVector encode(VectorSchemaRoot rows, BitSet nulls) {
    nulls(rows).values().forEach(nulls::or);
    List<FieldVector> vectors = new ArrayList<>(components.size());
    for (Component component : components) {
      List<FieldVector> path = KeyEncoding.resolve(rows, component.path(), component.name());
      vectors.add(path.get(path.size() - 1));
    }
    return encode(vectors, rows.getRowCount());
  }

  private KeyVector encode(List<FieldVector> vectors, int count) {
    if (exact) {
      return KeyVector.ofPrefixes(KeyEncoding.integers(vectors.get(0), count));
    }
    return KeyEncoding.encode(vectors, count);
  }

  /// The rows that have a null in their key, by the name of the component; a component without
  /// nulls is left out.
  public Map<String, BitSet> nulls(VectorSchemaRoot rows) {
    Map<String, BitSet> found = new LinkedHashMap<>();
    for (Component component : components) {
      BitSet nulls = new BitSet();
      for (FieldVector vector : KeyEncoding.resolve(rows, component.path(), component.name())) {
        KeyEncoding.addNulls(vector, rows.getRowCount(), nulls);
      }
      if (!nulls.isEmpty()) {
        found.put(component.name(), nulls);
      }
    }
    return found;
  }

  /// An encoded key for people to read, such as `id=5, region=eu`.
  public String text(byte[] encoded) {
    KeyText text = new KeyText(encoded);
    return components.stream()
        .map(component -> component.name() + "=" + text.next(component.type()))
        .collect(Collectors.joining(", "));
  }

  /// The range of keys that a data file can hold, from its column bounds. Bounds may be truncated
  /// or missing; then the range is wider.
  public KeyRange range(ContentFile<?> file) {
    List<Long> rowGroups = file.splitOffsets();
    boolean merged = rowGroups == null || rowGroups.size() != 1;
    return range(file.lowerBounds(), file.upperBounds(), merged);
  }

  /// The range of keys whose components lie between values in Iceberg's serialized form; a
  /// component without one, and those after it, are not bounded on that side.
  ///
  /// @param lowest by field id
  /// @param highest by field id
  public KeyRange between(Map<Integer, ByteBuffer> lowest, Map<Integer, ByteBuffer> highest) {
    return range(lowest, highest, false);
  }

  /// @param merged whether the bounds may have been merged from those of several row groups
  KeyRange range(
      @Nullable Map<Integer, ByteBuffer> lower,
      @Nullable Map<Integer, ByteBuffer> upper,
      boolean merged) {
    List<Integer> ids = fieldIds();
    List<Type> types = components.stream().map(Component::type).toList();
    byte[] from = KeyBounds.LOWER.encode(ids, types, lower, merged);
    byte[] to = KeyBounds.UPPER.encode(ids, types, upper, merged);
    // Swapped bounds are of a writer that orders UUIDs otherwise; they say nothing.
    return KeyRange.isOrdered(from, to) ? new KeyRange(from, to) : KeyRange.ALL;
  }

  @Override
  public String toString() {
    return components.stream().map(c -> c.name() + Arrays.toString(c.path())).toList().toString();
  }
}
