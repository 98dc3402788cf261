package io.icewal.parquet;

import io.icewal.model.ArrowSchemas;
import java.util.List;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// One field of the projection and how its vector comes to be from the levels and values of leaves.
///
/// An entry of a leaf is a *slot* of a field if it is defined down to the innermost list above the
/// field and begins a new element of it: every slot is one place in the field's vector.
sealed interface ReadNode {
  NestedField field();

  /// The vector of the current batch.
  ///
  /// @param slots how many values the vector will have
  FieldVector read(int slots, BufferAllocator allocator);

  /// Where a field stands among the lists above it.
  ///
  /// @param definition level from which on an entry is a slot
  /// @param repetition level up to which an entry is a slot of its own
  record Place(int definition, int repetition) {
    static final Place TOP = new Place(0, 0);

    boolean isSlot(LeafReader leaf, int entry) {
      return leaf.definition(entry) >= definition && leaf.repetition(entry) <= repetition;
    }
  }

  /// A primitive field.
  record Leaf(NestedField field, LeafReader leaf, Place place) implements ReadNode {
    @Override
    public FieldVector read(int slots, BufferAllocator allocator) {
      boolean[] present = ReadNode.present(leaf, place, leaf.definitionMax(), slots);
      return ReadNode.filled(
          field, allocator, vector -> leaf.values().fill(vector, present, slots));
    }
  }

  /// A field that the file does not have.
  record Constant(NestedField field, @Nullable Object value) implements ReadNode {
    @Override
    public FieldVector read(int slots, BufferAllocator allocator) {
      return ConstantVectors.of(field, value, slots, allocator);
    }
  }

  /// A struct.
  ///
  /// @param levels a leaf below it, whose levels tell where it is null
  /// @param definition level from which on it is not null
  record Struct(
      NestedField field, List<ReadNode> children, LeafReader levels, int definition, Place place)
      implements ReadNode {
    @Override
    public FieldVector read(int slots, BufferAllocator allocator) {
      return ReadNode.filled(field, allocator, vector -> fill((StructVector) vector, slots));
    }

    private void fill(StructVector vector, int slots) {
      vector.setInitialCapacity(Math.max(1, slots));
      vector.allocateNew();
      Validity.set(vector, ReadNode.present(levels, place, definition, slots), slots);
      ReadNode.fillChildren(vector, children, slots);
      vector.setValueCount(slots);
    }
  }

  /// A list, or a map, whose elements are entries with two children.
  ///
  /// @param definition level from which on it is not null
  /// @param elements place of the elements
  record Repeated(
      NestedField field,
      List<ReadNode> children,
      LeafReader levels,
      int definition,
      Place place,
      Place elements)
      implements ReadNode {
    @Override
    public FieldVector read(int slots, BufferAllocator allocator) {
      return ReadNode.filled(field, allocator, vector -> fill((ListVector) vector, slots));
    }

    private void fill(ListVector vector, int slots) {
      vector.setInitialCapacity(Math.max(1, slots));
      vector.allocateNew();
      Validity.set(vector, ReadNode.present(levels, place, definition, slots), slots);
      int count = fillOffsets(vector, slots);
      if (field.type().isMapType()) {
        StructVector entries = (StructVector) vector.getDataVector();
        entries.setInitialCapacity(Math.max(1, count));
        entries.allocateNew();
        Validity.set(entries, null, count);
        ReadNode.fillChildren(entries, children, count);
        entries.setValueCount(count);
      } else {
        ReadNode.move(children.get(0).read(count, vector.getAllocator()), vector.getDataVector());
      }
      vector.setLastSet(slots - 1);
      vector.setValueCount(slots);
    }

    private int fillOffsets(ListVector vector, int slots) {
      long offsets = VectorMemory.offsets(vector, slots);
      int slot = 0;
      int count = 0;
      for (int entry = 0; entry < levels.levels(); entry++) {
        if (place.isSlot(levels, entry)) {
          MemoryUtil.putInt(offsets + 4L * slot++, count);
        }
        if (elements.isSlot(levels, entry)) {
          count++;
        }
      }
      MemoryUtil.putInt(offsets + 4L * slot, count);
      return count;
    }
  }

  /// A metadata column of row numbers.
  record Numbers(NestedField field, RowNumbers numbers) implements ReadNode {
    @Override
    public FieldVector read(int slots, BufferAllocator allocator) {
      return ReadNode.filled(field, allocator, vector -> numbers.fill(vector, slots));
    }
  }

  private static void fillChildren(StructVector vector, List<ReadNode> children, int slots) {
    for (int i = 0; i < children.size(); i++) {
      move(
          children.get(i).read(slots, vector.getAllocator()),
          (FieldVector) vector.getChildByOrdinal(i));
    }
  }

  private static void move(FieldVector read, FieldVector target) {
    read.makeTransferPair(target).transfer();
    read.close();
  }

  private static FieldVector filled(
      NestedField field, BufferAllocator allocator, Consumer<FieldVector> filling) {
    FieldVector vector = ArrowSchemas.toArrow(field).createVector(allocator);
    try {
      filling.accept(vector);
      return vector;
    } catch (RuntimeException | Error e) {
      vector.close();
      throw e;
    }
  }

  /// Which slots are defined at least to the given level; null if all.
  private static boolean @Nullable [] present(
      LeafReader leaf, Place place, int definition, int slots) {
    if (leaf.allPresent()) {
      check(leaf, leaf.levels(), slots);
      return null;
    }
    boolean[] present = new boolean[slots];
    int slot = 0;
    for (int entry = 0; entry < leaf.levels(); entry++) {
      if (place.isSlot(leaf, entry)) {
        if (slot == slots) {
          check(leaf, slot + 1, slots);
        }
        present[slot++] = leaf.definition(entry) >= definition;
      }
    }
    check(leaf, slot, slots);
    return present;
  }

  private static void check(LeafReader leaf, int seen, int slots) {
    if (seen != slots) {
      throw new IllegalStateException(
          "column "
              + String.join(".", leaf.column().getPath())
              + " has "
              + seen
              + " values where its siblings have "
              + slots);
    }
  }
}
