package io.icewal.ingest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.LargeListViewVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.NullUnmarked;

/// Writes logical values, one at a time, into a random one of the Arrow forms that can hold them.
@NullUnmarked // Nulls are part of what is tested.
final class ArrowInput {
  private final Random random;
  private final BufferAllocator allocator;
  private final MapDictionaryProvider dictionaries;
  private final Dictionaries depth;
  private long dictionaryCount;

  /// What may be dictionary-encoded.
  enum Dictionaries {
    ANY_TYPE,
    /// Arrow's own writer cannot copy dictionaries of every nested type.
    LEAVES
  }

  ArrowInput(
      Random random,
      BufferAllocator allocator,
      MapDictionaryProvider dictionaries,
      Dictionaries depth) {
    this.random = random;
    this.depth = depth;
    this.allocator = allocator;
    this.dictionaries = dictionaries;
  }

  /// A form: its Arrow field, and how to write a value and to end a vector.
  interface Form {
    Field field(String name);

    void write(FieldVector vector, int index, Object value);

    default void end(FieldVector vector, int count) {}
  }

  Form form(Type type) {
    int kind = random.nextInt(8);
    if (kind == 0 && (depth == Dictionaries.ANY_TYPE || type.isPrimitiveType())) {
      return new DictionaryForm(plain(type));
    }
    return kind == 1 ? new RunForm(plain(type)) : plain(type);
  }

  private Form plain(Type type) {
    return switch (type.typeId()) {
      case STRUCT -> new StructForm(type.asStructType().fields());
      case LIST -> new ListForms(type.asListType());
      case MAP -> new MapForm(type.asMapType());
      default -> new ArrowLeaf(random, type);
    };
  }

  @SafeVarargs
  private <T> T any(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  /// Fields in random order.
  private final class StructForm implements Form {
    private final List<NestedField> fields;
    private final List<Form> forms = new ArrayList<>();
    private final List<Integer> order = new ArrayList<>();

    StructForm(List<NestedField> fields) {
      this.fields = fields;
      for (int i = 0; i < fields.size(); i++) {
        forms.add(form(fields.get(i).type()));
        order.add(random.nextInt(order.size() + 1), i);
      }
    }

    @Override
    public Field field(String name) {
      List<Field> children =
          order.stream().map(i -> forms.get(i).field(fields.get(i).name())).toList();
      return new Field(name, FieldType.nullable(ArrowType.Struct.INSTANCE), children);
    }

    @Override
    public void write(FieldVector vector, int index, Object value) {
      StructVector struct = (StructVector) vector;
      List<?> values = (List<?>) value;
      for (int k = 0; k < order.size(); k++) {
        Object child = values == null ? null : values.get(order.get(k));
        forms.get(order.get(k)).write(struct.getChildrenFromFields().get(k), index, child);
      }
      if (values == null) {
        struct.setNull(index);
      } else {
        struct.setIndexDefined(index);
      }
    }

    @Override
    public void end(FieldVector vector, int count) {
      for (int k = 0; k < order.size(); k++) {
        FieldVector child = vector.getChildrenFromFields().get(k);
        forms.get(order.get(k)).end(child, count);
        child.setValueCount(count);
      }
    }
  }

  private final class ListForms implements Form {
    private final Form elements;
    private final ArrowType arrow;
    private int count;

    ListForms(Types.ListType type) {
      this.elements = form(type.elementType());
      this.arrow =
          any(
              ArrowType.List.INSTANCE,
              ArrowType.LargeList.INSTANCE,
              ArrowType.ListView.INSTANCE,
              ArrowType.LargeListView.INSTANCE);
    }

    @Override
    public Field field(String name) {
      return Harness.field(name, arrow, elements.field("item"));
    }

    @Override
    public void write(FieldVector vector, int index, Object value) {
      List<?> values = (List<?>) value;
      if (values == null) {
        vector.setNull(index);
        return;
      }
      FieldVector child = vector.getChildrenFromFields().get(0);
      start(vector, index);
      for (Object element : values) {
        elements.write(child, count++, element);
      }
      finish(vector, index, values.size());
    }

    private static void start(FieldVector vector, int index) {
      if (vector instanceof ListVector list) {
        list.startNewValue(index);
      } else if (vector instanceof LargeListVector list) {
        list.startNewValue(index);
      } else if (vector instanceof ListViewVector list) {
        list.startNewValue(index);
      } else {
        ((LargeListViewVector) vector).startNewValue(index);
      }
    }

    private static void finish(FieldVector vector, int index, int size) {
      if (vector instanceof ListVector list) {
        list.endValue(index, size);
      } else if (vector instanceof LargeListVector list) {
        list.endValue(index, size);
      } else if (vector instanceof ListViewVector list) {
        list.endValue(index, size);
      } else if (vector instanceof LargeListViewVector list) {
        list.endValue(index, size);
      }
    }

    @Override
    public void end(FieldVector vector, int lists) {
      vector.setValueCount(lists);
      FieldVector child = vector.getChildrenFromFields().get(0);
      elements.end(child, count);
      child.setValueCount(count);
    }
  }

  private final class MapForm implements Form {
    private final Form keys;
    private final Form values;
    private int count;

    MapForm(Types.MapType type) {
      this.keys = form(type.keyType());
      this.values = form(type.valueType());
    }

    @Override
    public Field field(String name) {
      Field key = keys.field("k");
      Field required =
          new Field(
              "k", new FieldType(false, key.getType(), key.getDictionary()), key.getChildren());
      Field entries =
          new Field(
              "key_value",
              FieldType.notNullable(ArrowType.Struct.INSTANCE),
              List.of(required, values.field("v")));
      return Harness.field(name, new ArrowType.Map(false), entries);
    }

    @Override
    public void write(FieldVector vector, int index, Object value) {
      ListVector map = (ListVector) vector;
      if (value == null) {
        map.setNull(index);
        return;
      }
      StructVector entries = (StructVector) map.getDataVector();
      map.startNewValue(index);
      Map<?, ?> pairs = (Map<?, ?>) value;
      for (Map.Entry<?, ?> pair : pairs.entrySet()) {
        keys.write(entries.getChildrenFromFields().get(0), count, pair.getKey());
        values.write(entries.getChildrenFromFields().get(1), count, pair.getValue());
        entries.setIndexDefined(count++);
      }
      map.endValue(index, pairs.size());
    }

    @Override
    public void end(FieldVector vector, int maps) {
      vector.setValueCount(maps);
      FieldVector entries = vector.getChildrenFromFields().get(0);
      keys.end(entries.getChildrenFromFields().get(0), count);
      values.end(entries.getChildrenFromFields().get(1), count);
      entries.setValueCount(count);
    }
  }

  /// Every value is written to the dictionary anew or, if it was the last one, pointed to again.
  private final class DictionaryForm implements Form {
    private final Form values;
    private final DictionaryEncoding encoding =
        new DictionaryEncoding(dictionaryCount++, false, new ArrowType.Int(32, true));
    private FieldVector entries;
    private int entryCount;
    private Object last;

    DictionaryForm(Form values) {
      this.values = values;
    }

    @Override
    public Field field(String name) {
      if (entries == null) {
        entries = values.field("values").createVector(allocator);
        entries.setInitialCapacity(8);
        entries.allocateNew();
        dictionaries.put(new Dictionary(entries, encoding));
      }
      return new Field(name, new FieldType(true, encoding.getIndexType(), encoding), List.of());
    }

    @Override
    public void write(FieldVector vector, int index, Object value) {
      if (value == null && random.nextBoolean()) {
        vector.setNull(index);
        return;
      }
      if (entryCount == 0 || !java.util.Objects.equals(last, value)) {
        values.write(entries, entryCount++, value);
        last = value;
      }
      ((IntVector) vector).setSafe(index, entryCount - 1);
    }

    @Override
    public void end(FieldVector vector, int count) {
      values.end(entries, entryCount);
      entries.setValueCount(entryCount);
    }
  }

  private final class RunForm implements Form {
    private final Form values;
    private int runCount;
    private int covered;
    private Object last;

    RunForm(Form values) {
      this.values = values;
    }

    @Override
    public Field field(String name) {
      Field ends =
          new Field("run_ends", FieldType.notNullable(new ArrowType.Int(32, true)), List.of());
      return Harness.field(name, ArrowType.RunEndEncoded.INSTANCE, ends, values.field("values"));
    }

    @Override
    public void write(FieldVector vector, int index, Object value) {
      RunEndEncodedVector runs = (RunEndEncodedVector) vector;
      if (index > covered) {
        addRun(runs, null, index);
      }
      if (runCount > 0 && java.util.Objects.equals(last, value)) {
        ((IntVector) runs.getRunEndsVector()).setSafe(runCount - 1, index + 1);
        covered = index + 1;
      } else {
        addRun(runs, value, index + 1);
      }
    }

    private void addRun(RunEndEncodedVector runs, Object value, int end) {
      values.write(runs.getValuesVector(), runCount, value);
      ((IntVector) runs.getRunEndsVector()).setSafe(runCount++, end);
      covered = end;
      last = value;
    }

    @Override
    public void end(FieldVector vector, int count) {
      RunEndEncodedVector runs = (RunEndEncodedVector) vector;
      if (covered < count) {
        addRun(runs, null, count);
      }
      values.end(runs.getValuesVector(), runCount);
      runs.getValuesVector().setValueCount(runCount);
      runs.getRunEndsVector().setValueCount(runCount);
    }
  }
}
