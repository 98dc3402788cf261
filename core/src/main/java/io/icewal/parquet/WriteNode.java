package io.icewal.parquet;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// One field of the file's schema and how its vector becomes levels and values.
///
/// 1. A slot that a null or an empty list above has ended passes through unchanged.
/// 2. An optional field ends a slot that is null at its own definition level.
/// 3. A list gives one slot for each element; the first keeps the repetition level.
/// 4. A leaf writes slots and values.
sealed interface WriteNode {
  NestedField field();

  /// @param vector null where the rows do not have the field: all null
  /// @param slots changed by the callee
  void write(@Nullable FieldVector vector, Slots slots);

  /// A primitive field.
  record Leaf(NestedField field, LeafWriter writer) implements WriteNode {
    @Override
    public void write(@Nullable FieldVector vector, Slots slots) {
      define(field, vector, slots);
      writer.appendSlots(vector, slots);
    }
  }

  /// A struct; its children share its vector's indexes.
  record Struct(NestedField field, List<WriteNode> children) implements WriteNode {
    @Override
    public void write(@Nullable FieldVector vector, Slots slots) {
      define(field, vector, slots);
      for (WriteNode child : children) {
        child.write(child(vector, child.field().fieldId()), slots.copy());
      }
    }
  }

  /// A list, or a map, whose elements are entries with two children.
  ///
  /// @param repetition the repetition level of an element that is not the first
  record Repeated(NestedField field, List<WriteNode> elements, boolean map, int repetition)
      implements WriteNode {
    @Override
    public void write(@Nullable FieldVector vector, Slots slots) {
      define(field, vector, slots);
      ListVector list = (ListVector) vector;
      Slots entries = entries(list, slots);
      FieldVector data = list == null ? null : list.getDataVector();
      for (WriteNode element : elements) {
        FieldVector values = map ? child(data, element.field().fieldId()) : data;
        element.write(values, elements.size() == 1 ? entries : entries.copy());
      }
    }

    private Slots entries(@Nullable ListVector list, Slots slots) {
      Slots entries = new Slots(slots.count);
      for (int i = 0; i < slots.count; i++) {
        int index = slots.index[i];
        int start = index < 0 || list == null ? 0 : list.getElementStartIndex(index);
        int end = index < 0 || list == null ? 0 : list.getElementEndIndex(index);
        if (start >= end) {
          entries.add(slots.repetition[i], slots.definition[i], -1);
        }
        for (int element = start; element < end; element++) {
          int level = element == start ? slots.repetition[i] : repetition;
          entries.add(level, slots.definition[i] + 1, element);
        }
      }
      return entries;
    }
  }

  private static @Nullable FieldVector child(@Nullable FieldVector vector, int fieldId) {
    return vector == null ? null : ArrowSchemas.find(vector.getChildrenFromFields(), fieldId);
  }

  /// Ends the slots in which the field is null, and counts an optional field as reached in the
  /// rest.
  private static void define(NestedField field, @Nullable FieldVector vector, Slots slots) {
    for (int i = 0; i < slots.count; i++) {
      if (slots.index[i] < 0) {
        continue;
      }
      if (vector == null || vector.isNull(slots.index[i])) {
        if (field.isRequired()) {
          throw new IcewalException(
              ErrorKind.INVALID,
              "required field " + field.name() + " (" + field.fieldId() + ") cannot take a null");
        }
        slots.index[i] = -1;
      } else if (field.isOptional()) {
        slots.definition[i]++;
      }
    }
  }
}
