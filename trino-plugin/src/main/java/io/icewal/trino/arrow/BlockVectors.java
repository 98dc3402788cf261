package io.icewal.trino.arrow;

import io.airlift.slice.Slice;
import io.icewal.model.ArrowSchemas;
import io.icewal.model.BadValue;
import io.icewal.model.Rule;
import io.trino.spi.block.Block;
import io.trino.spi.block.ColumnarArray;
import io.trino.spi.block.ColumnarMap;
import io.trino.spi.block.RowBlock;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.BooleanType;
import io.trino.spi.type.DateType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.types.Types.NestedField;

/// Trino's blocks as Arrow columns in canonical form. Copies. Pure.
public final class BlockVectors {
  private static final long PICOS_PER_MICRO = 1_000_000;
  private static final long MICROS_PER_MILLI = 1_000;
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final int PICOS_PER_NANO = 1_000;

  private BlockVectors() {}

  /// @param type as trino-iceberg translates the field's type
  /// @return owned by the caller
  /// @throws BadValue for a value that the column cannot hold: bytes of another length than that of
  ///   its type fixed, a time beyond the range of a timestamp
  public static FieldVector of(
      Block block, Type type, NestedField field, BufferAllocator allocator) {
    try {
      return vector(block, type, ArrowSchemas.toArrow(field), allocator);
    } catch (BadValue e) {
      throw e.within(field.name());
    }
  }

  private static FieldVector vector(
      Block block, Type type, Field field, BufferAllocator allocator) {
    FieldVector vector = field.createVector(allocator);
    try {
      fill(vector, block, type);
      return vector;
    } catch (RuntimeException | Error e) {
      vector.close();
      throw e;
    }
  }

  private static void fill(FieldVector vector, Block block, Type type) {
    switch (vector) {
      case NullVector nulls -> nulls.setValueCount(block.getPositionCount());
      case BitVector bits -> bits(bits, block);
      case FixedSizeBinaryVector fixed -> fixed(fixed, block, type);
      case BaseFixedWidthVector numbers -> numbers(numbers, block, type);
      case BaseVariableWidthVector bytes -> bytes(bytes, block, type);
      case MapVector map -> map(map, block, (MapType) type);
      case ListVector list -> list(list, block, (ArrayType) type);
      case StructVector struct -> struct(struct, block, (RowType) type);
      default -> throw new IllegalStateException("no canonical column: " + vector.getField());
    }
  }

  /// @param name of the field that the vector is, within its parent
  private static void fillWithin(String name, FieldVector vector, Block block, Type type) {
    try {
      fill(vector, block, type);
    } catch (BadValue e) {
      throw e.within(name);
    }
  }

  private static void bits(BitVector vector, Block block) {
    int count = block.getPositionCount();
    vector.allocateNew(count);
    for (int i = 0; i < count; i++) {
      if (!block.isNull(i)) {
        vector.set(i, BooleanType.BOOLEAN.getBoolean(block, i) ? 1 : 0);
      }
    }
    vector.setValueCount(count);
  }

  private static void numbers(BaseFixedWidthVector vector, Block block, Type type) {
    int count = block.getPositionCount();
    vector.allocateNew(count);
    ArrowBuf data = vector.getDataBuffer();
    for (int i = 0; i < count; i++) {
      if (!block.isNull(i)) {
        BitVectorHelper.setBit(vector.getValidityBuffer(), i);
        put(vector, data, block, type, i);
      }
    }
    vector.setValueCount(count);
  }

  private static void put(
      BaseFixedWidthVector vector, ArrowBuf data, Block block, Type type, int i) {
    long at = (long) i * vector.getTypeWidth();
    switch (vector.getMinorType()) {
      case INT -> data.setInt(at, IntegerType.INTEGER.getInt(block, i));
      case DATEDAY -> data.setInt(at, DateType.DATE.getInt(block, i));
      case FLOAT4 -> data.setFloat(at, RealType.REAL.getFloat(block, i));
      case BIGINT -> data.setLong(at, BigintType.BIGINT.getLong(block, i));
      case FLOAT8 -> data.setDouble(at, DoubleType.DOUBLE.getDouble(block, i));
      case TIMEMICRO -> data.setLong(at, type.getLong(block, i) / PICOS_PER_MICRO);
      case TIMESTAMPMICRO -> data.setLong(at, type.getLong(block, i));
      case TIMESTAMPMICROTZ, TIMESTAMPNANOTZ -> data.setLong(at, zoned(vector, block, type, i));
      case TIMESTAMPNANO -> {
        LongTimestamp time = (LongTimestamp) type.getObject(block, i);
        int nanos = time.getPicosOfMicro() / PICOS_PER_NANO;
        data.setLong(at, inUnits(vector, time.getEpochMicros(), NANOS_PER_MICRO, nanos));
      }
      case DECIMAL -> decimal(data, at, block, type, i);
      default -> throw new IllegalStateException("no canonical column: " + vector.getField());
    }
  }

  private static long zoned(BaseFixedWidthVector vector, Block block, Type type, int i) {
    LongTimestampWithTimeZone time = (LongTimestampWithTimeZone) type.getObject(block, i);
    boolean micros =
        vector.getMinorType() == org.apache.arrow.vector.types.Types.MinorType.TIMESTAMPMICROTZ;
    int picos = time.getPicosOfMilli();
    return micros
        ? inUnits(vector, time.getEpochMillis(), MICROS_PER_MILLI, picos / PICOS_PER_MICRO)
        : inUnits(vector, time.getEpochMillis(), NANOS_PER_MILLI, picos / PICOS_PER_NANO);
  }

  private static long inUnits(FieldVector vector, long coarse, long units, long rest) {
    try {
      return Math.addExact(Math.multiplyExact(coarse, units), rest);
    } catch (ArithmeticException e) {
      throw new BadValue(
          Rule.OUT_OF_RANGE, "", Rule.rangeMessage(typeName(vector), "what fits into 64 bits"));
    }
  }

  /// As Iceberg calls it.
  private static String typeName(FieldVector vector) {
    return switch (vector.getMinorType()) {
      case TIMESTAMPNANO -> "timestamp_ns";
      case TIMESTAMPNANOTZ -> "timestamptz_ns";
      default -> "timestamptz";
    };
  }

  private static void decimal(ArrowBuf data, long at, Block block, Type type, int i) {
    long low;
    long high;
    if (((DecimalType) type).isShort()) {
      low = type.getLong(block, i);
      high = low >> (Long.SIZE - 1);
    } else {
      Int128 value = (Int128) type.getObject(block, i);
      low = value.getLow();
      high = value.getHigh();
    }
    data.setLong(at, low);
    data.setLong(at + DecimalVector.TYPE_WIDTH / 2, high);
  }

  private static void fixed(FixedSizeBinaryVector vector, Block block, Type type) {
    int count = block.getPositionCount();
    int width = vector.getByteWidth();
    vector.allocateNew(count);
    for (int i = 0; i < count; i++) {
      if (!block.isNull(i)) {
        Slice bytes = type.getSlice(block, i);
        if (bytes.length() != width) {
          throw new BadValue(
              Rule.LENGTH, "", Rule.lengthMessage(bytes.length(), "fixed[" + width + "]", width));
        }
        BitVectorHelper.setBit(vector.getValidityBuffer(), i);
        vector
            .getDataBuffer()
            .setBytes((long) i * width, bytes.byteArray(), bytes.byteArrayOffset(), bytes.length());
      }
    }
    vector.setValueCount(count);
  }

  private static void bytes(BaseVariableWidthVector vector, Block block, Type type) {
    int count = block.getPositionCount();
    long size = 0;
    for (int i = 0; i < count; i++) {
      size += block.isNull(i) ? 0 : type.getSlice(block, i).length();
    }
    vector.allocateNew(Math.max(size, 1), count);
    for (int i = 0; i < count; i++) {
      if (!block.isNull(i)) {
        Slice bytes = type.getSlice(block, i);
        vector.setSafe(i, bytes.byteArray(), bytes.byteArrayOffset(), bytes.length());
      }
    }
    vector.setValueCount(count);
  }

  private static void list(ListVector vector, Block block, ArrayType type) {
    ColumnarArray lists = ColumnarArray.toColumnarArray(block);
    offsets(vector, block, lists::getOffset);
    fillWithin("element", vector.getDataVector(), lists.getElementsBlock(), type.getElementType());
    finish(vector, block);
  }

  private static void map(MapVector vector, Block block, MapType type) {
    ColumnarMap maps = ColumnarMap.toColumnarMap(block);
    offsets(vector, block, maps::getOffset);
    StructVector entries = (StructVector) vector.getDataVector();
    int count = maps.getKeysBlock().getPositionCount();
    allocate(entries, count);
    for (int i = 0; i < count; i++) {
      BitVectorHelper.setBit(entries.getValidityBuffer(), i);
    }
    FieldVector keys = (FieldVector) entries.getChildByOrdinal(0);
    fillWithin("key", keys, maps.getKeysBlock(), type.getKeyType());
    FieldVector values = (FieldVector) entries.getChildByOrdinal(1);
    fillWithin("value", values, maps.getValuesBlock(), type.getValueType());
    entries.setValueCount(count);
    finish(vector, block);
  }

  private static void offsets(ListVector vector, Block block, IntUnaryOperator offset) {
    int count = block.getPositionCount();
    vector.setInitialCapacity(count);
    vector.allocateNew();
    while (vector.getValueCapacity() < count) {
      vector.reAlloc();
    }
    int first = count == 0 ? 0 : offset.applyAsInt(0);
    for (int i = 0; i <= count && count > 0; i++) {
      vector.getOffsetBuffer().setInt((long) i * Integer.BYTES, offset.applyAsInt(i) - first);
    }
    for (int i = 0; i < count; i++) {
      if (!block.isNull(i)) {
        BitVectorHelper.setBit(vector.getValidityBuffer(), i);
      }
    }
  }

  /// Says how many lists there are without touching the elements, which are filled in already.
  private static void finish(ListVector vector, Block block) {
    int elements = vector.getDataVector().getValueCount();
    vector.setLastSet(block.getPositionCount() - 1);
    vector.setValueCount(block.getPositionCount());
    if (vector.getDataVector().getValueCount() != elements) {
      throw new IllegalStateException(
          vector.getDataVector().getValueCount() + " elements instead of " + elements);
    }
  }

  private static void struct(StructVector vector, Block block, RowType type) {
    int count = block.getPositionCount();
    allocate(vector, count);
    for (int i = 0; i < count; i++) {
      if (!block.isNull(i)) {
        BitVectorHelper.setBit(vector.getValidityBuffer(), i);
      }
    }
    List<Block> fields = RowBlock.getRowFieldsFromBlock(block);
    for (int i = 0; i < fields.size(); i++) {
      FieldVector child = (FieldVector) vector.getChildByOrdinal(i);
      fillWithin(child.getName(), child, fields.get(i), type.getFields().get(i).getType());
    }
    vector.setValueCount(count);
  }

  /// Room for the validity of so many structs. Their fields are allocated when they are filled.
  private static void allocate(StructVector vector, int count) {
    vector.setInitialCapacity(Math.max(count, 1));
    vector.allocateNew();
  }
}
