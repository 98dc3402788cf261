package io.icewal.ingest;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VariableWidthFieldVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.LargeListViewVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
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
      default -> new LeafForm(type);
    };
  }

  private final class LeafForm implements Form {
    private final Type type;
    private final ArrowType arrow;

    LeafForm(Type type) {
      this.type = type;
      this.arrow = arrowType(type);
    }

    @Override
    public Field field(String name) {
      return Harness.field(name, arrow);
    }

    @Override
    public void write(FieldVector vector, int index, Object value) {
      if (value == null) {
        if (vector instanceof BaseFixedWidthVector fixed && random.nextBoolean()) {
          // Garbage under a null.
          fixed.setIndexDefined(growTo(fixed, index));
          if (!(fixed instanceof BitVector)) {
            fixed.getDataBuffer().setByte((long) fixed.getTypeWidth() * index, 0xEE);
          }
        }
        vector.setNull(index);
      } else if (vector instanceof BitVector bits) {
        bits.setSafe(index, (Boolean) value ? 1 : 0);
      } else if (vector instanceof DecimalVector decimals) {
        decimals.setSafe(index, rescale((BigDecimal) value));
      } else if (vector instanceof Decimal256Vector decimals) {
        decimals.setSafe(index, rescale((BigDecimal) value));
      } else if (vector instanceof FixedSizeBinaryVector fixed) {
        fixed.setSafe(index, bytes(value));
      } else if (vector instanceof VariableWidthFieldVector variable) {
        if (variable instanceof BaseVariableWidthViewVector views) {
          // Its own growth stops one value short.
          while (views.getDataBuffer().capacity() < 16L * (index + 2)) {
            views.reallocViewBuffer();
          }
        }
        variable.setSafe(
            index,
            value instanceof UUID uuid && isText()
                ? uuid.toString().getBytes(StandardCharsets.UTF_8)
                : bytes(value));
      } else {
        writeWord((BaseFixedWidthVector) vector, index, word(value));
      }
    }

    private boolean isText() {
      return arrow instanceof ArrowType.Utf8
          || arrow instanceof ArrowType.LargeUtf8
          || arrow instanceof ArrowType.Utf8View;
    }

    private BigDecimal rescale(BigDecimal value) {
      return value.setScale(((ArrowType.Decimal) arrow).getScale());
    }

    private long word(Object value) {
      if (arrow instanceof ArrowType.FloatingPoint floating) {
        double number = ((Number) value).doubleValue();
        return floating.getPrecision() == FloatingPointPrecision.SINGLE
            ? Float.floatToRawIntBits((float) number)
            : Double.doubleToRawLongBits(number);
      }
      long number = ((Number) value).longValue();
      if (arrow instanceof ArrowType.Timestamp timestamp) {
        TimeUnit own =
            type.typeId() == Type.TypeID.TIMESTAMP_NANO
                ? TimeUnit.NANOSECOND
                : TimeUnit.MICROSECOND;
        return scale(number, own, timestamp.getUnit());
      }
      if (arrow instanceof ArrowType.Time time) {
        return scale(number, TimeUnit.MICROSECOND, time.getUnit());
      }
      return arrow instanceof ArrowType.Date date && date.getUnit() == DateUnit.MILLISECOND
          ? number * 86_400_000
          : number;
    }
  }

  private static long scale(long value, TimeUnit from, TimeUnit to) {
    long per = perSecond(to);
    return per >= perSecond(from)
        ? value * (per / perSecond(from))
        : value / (perSecond(from) / per);
  }

  private static long perSecond(TimeUnit unit) {
    return (long) Math.pow(1000, unit.ordinal());
  }

  private static int growTo(BaseFixedWidthVector vector, int index) {
    while (vector.getValueCapacity() <= index) {
      vector.reAlloc();
    }
    return index;
  }

  private static void writeWord(BaseFixedWidthVector vector, int index, long word) {
    vector.setIndexDefined(growTo(vector, index));
    switch (vector.getTypeWidth()) {
      case 1 -> vector.getDataBuffer().setByte(index, (int) word);
      case 2 -> vector.getDataBuffer().setShort(2L * index, (int) word);
      case 4 -> vector.getDataBuffer().setInt(4L * index, (int) word);
      default -> vector.getDataBuffer().setLong(8L * index, word);
    }
  }

  private static byte[] bytes(Object value) {
    if (value instanceof String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    if (value instanceof UUID uuid) {
      return ByteBuffer.allocate(16)
          .putLong(uuid.getMostSignificantBits())
          .putLong(uuid.getLeastSignificantBits())
          .array();
    }
    return ((ByteBuffer) value).array();
  }

  @SafeVarargs
  private <T> T any(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private ArrowType arrowType(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> ArrowType.Bool.INSTANCE;
      // Values are small enough for any of these.
      case INTEGER, LONG -> new ArrowType.Int(any(8, 16, 32, 64), random.nextInt(3) > 0);
      case FLOAT, DOUBLE ->
          new ArrowType.FloatingPoint(
              any(FloatingPointPrecision.SINGLE, FloatingPointPrecision.DOUBLE));
      case DECIMAL -> {
        int scale = ((Types.DecimalType) type).scale() + random.nextInt(4);
        yield random.nextBoolean()
            ? new ArrowType.Decimal(38, scale, 128)
            : new ArrowType.Decimal(70, scale, 256);
      }
      case DATE -> new ArrowType.Date(any(DateUnit.DAY, DateUnit.MILLISECOND));
      case TIME ->
          any(
              new ArrowType.Time(TimeUnit.SECOND, 32),
              new ArrowType.Time(TimeUnit.MILLISECOND, 32),
              new ArrowType.Time(TimeUnit.MICROSECOND, 64),
              new ArrowType.Time(TimeUnit.NANOSECOND, 64));
      case TIMESTAMP ->
          new ArrowType.Timestamp(
              any(TimeUnit.values()),
              ((Types.TimestampType) type).shouldAdjustToUTC() ? any("UTC", "+05:30") : null);
      case TIMESTAMP_NANO ->
          new ArrowType.Timestamp(
              any(TimeUnit.values()),
              ((Types.TimestampNanoType) type).shouldAdjustToUTC() ? "UTC" : null);
      case STRING ->
          any(ArrowType.Utf8.INSTANCE, ArrowType.LargeUtf8.INSTANCE, ArrowType.Utf8View.INSTANCE);
      case BINARY ->
          any(
              ArrowType.Binary.INSTANCE,
              ArrowType.LargeBinary.INSTANCE,
              ArrowType.BinaryView.INSTANCE);
      case FIXED ->
          any(
              new ArrowType.FixedSizeBinary(((Types.FixedType) type).length()),
              ArrowType.Binary.INSTANCE,
              ArrowType.BinaryView.INSTANCE);
      case UUID ->
          any(
              new ArrowType.FixedSizeBinary(16),
              ArrowType.LargeBinary.INSTANCE,
              ArrowType.Utf8.INSTANCE,
              ArrowType.Utf8View.INSTANCE);
      default -> throw new IllegalArgumentException(type.toString());
    };
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
    /// Lists of a fixed size are drawn with that many elements everywhere.
    static final int FIXED_SIZE = 2;

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
      } else if (vector instanceof LargeListViewVector list) {
        list.startNewValue(index);
      } else {
        ((FixedSizeListVector) vector).startNewValue(index);
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
