package io.icewal.parquet;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Brings a vector into the form of a field of a later schema: same field id, a name and type that
/// may have changed since. Buffers are shared wherever the bytes stay the same.
///
/// @param written the types of the values when they were written, which say more than their
///   vectors: `uuid` and `fixed[16]` have the same one
/// @param lastColumnId the last column id at that time: fields above it did not exist yet and take
///   their initial default
record VectorPromotion(Schema written, int lastColumnId, BufferAllocator allocator) {
  private static final long MICROS_PER_DAY = 86_400_000_000L;
  private static final long NANOS_PER_DAY = 86_400_000_000_000L;

  FieldVector promote(@Nullable FieldVector vector, NestedField target, int rows) {
    if (vector == null || vector instanceof NullVector) {
      boolean added = vector == null && target.fieldId() > lastColumnId;
      return ConstantVectors.of(target, added ? target.initialDefault() : null, rows, allocator);
    }
    FieldVector promoted = ArrowSchemas.toArrow(target).createVector(allocator);
    try {
      fill(promoted, vector, target.type());
      return promoted;
    } catch (RuntimeException | Error e) {
      promoted.close();
      throw e;
    }
  }

  private void fill(FieldVector promoted, FieldVector vector, Type target) {
    if (promoted instanceof StructVector struct) {
      fillStruct(struct, vector, target.asStructType());
    } else if (promoted instanceof ListVector list
        && vector instanceof ListVector from
        && promoted.getMinorType() == vector.getMinorType()) {
      fillList(list, from, target);
    } else if (promoted.getMinorType() == vector.getMinorType()
        && sameWidth(promoted, vector)
        && isUuid(writtenType(vector)) == isUuid(target)) {
      share(promoted, vector);
    } else {
      convert(promoted, vector, target);
    }
  }

  private Type writtenType(FieldVector vector) {
    return written.findType(ArrowSchemas.fieldId(vector.getField()));
  }

  private static boolean isUuid(Type type) {
    return type.typeId() == Type.TypeID.UUID;
  }

  /// Decimals of one scale share bytes whatever their precision; fixed ones must be of one length.
  private static boolean sameWidth(FieldVector promoted, FieldVector vector) {
    if (promoted instanceof DecimalVector to && vector instanceof DecimalVector from) {
      return to.getScale() == from.getScale() && to.getPrecision() >= from.getPrecision();
    }
    return !(promoted instanceof BaseFixedWidthVector to)
        || to.getTypeWidth() == ((BaseFixedWidthVector) vector).getTypeWidth();
  }

  private static void share(FieldVector promoted, FieldVector vector) {
    ArrowFieldNode node = new ArrowFieldNode(vector.getValueCount(), vector.getNullCount());
    promoted.loadFieldBuffers(node, vector.getFieldBuffers());
  }

  private void fillStruct(StructVector promoted, FieldVector vector, Types.StructType target) {
    if (!(vector instanceof StructVector from)) {
      throw noWay(vector, target);
    }
    int rows = vector.getValueCount();
    share(promoted, from);
    for (int i = 0; i < target.fields().size(); i++) {
      NestedField field = target.fields().get(i);
      FieldVector child = ArrowSchemas.find(from.getChildrenFromFields(), field.fieldId());
      put(promote(child, field, rows), (FieldVector) promoted.getChildByOrdinal(i));
    }
  }

  private void fillList(ListVector promoted, ListVector from, Type target) {
    share(promoted, from);
    FieldVector data = from.getDataVector();
    if (target.isListType()) {
      NestedField element = target.asListType().fields().get(0);
      put(promote(data, named(element, "element"), data.getValueCount()), promoted.getDataVector());
    } else {
      List<NestedField> entry = target.asMapType().fields();
      fillStruct((StructVector) promoted.getDataVector(), data, Types.StructType.of(entry));
    }
  }

  private static NestedField named(NestedField field, String name) {
    return NestedField.from(field).withName(name).build();
  }

  private static void put(FieldVector promoted, FieldVector target) {
    promoted.makeTransferPair(target).transfer();
    promoted.close();
  }

  private void convert(FieldVector promoted, FieldVector vector, Type target) {
    int rows = vector.getValueCount();
    promoted.setInitialCapacity(rows);
    promoted.allocateNew();
    if (promoted instanceof BigIntVector to && vector instanceof IntVector from) {
      long in = VectorMemory.values(from, rows, Integer.BYTES);
      for (int i = 0; i < rows; i++) {
        putLong(to, i, MemoryUtil.getInt(in + 4L * i));
      }
    } else if (promoted instanceof Float8Vector to && vector instanceof Float4Vector from) {
      for (int i = 0; i < rows; i++) {
        to.setSafe(i, from.isNull(i) ? 0 : from.get(i));
      }
    } else if (promoted instanceof TimeStampVector to
        && !to.getMinorType().name().endsWith("TZ")
        && vector instanceof DateDayVector from) {
      convertDays(to, from);
    } else {
      throw noWay(vector, target);
    }
    copyValidity(promoted, vector);
    promoted.setValueCount(rows);
  }

  private static void putLong(FieldVector vector, int row, long value) {
    MemoryUtil.putLong(vector.getDataBuffer().memoryAddress() + (long) row * Long.BYTES, value);
  }

  private static void convertDays(TimeStampVector to, DateDayVector from) {
    boolean nanos = to.getMinorType().name().startsWith("TIMESTAMPNANO");
    for (int i = 0; i < from.getValueCount(); i++) {
      if (!from.isNull(i)) {
        putLong(to, i, timestamp(from.get(i), nanos));
      }
    }
  }

  static long timestamp(int days, boolean nanos) {
    try {
      return Math.multiplyExact((long) days, nanos ? NANOS_PER_DAY : MICROS_PER_DAY);
    } catch (ArithmeticException e) {
      throw new IcewalException(
          ErrorKind.INVALID, "day " + days + " since 1970 is beyond the range of timestamp_ns", e);
    }
  }

  private static void copyValidity(FieldVector promoted, FieldVector vector) {
    long bytes = (vector.getValueCount() + 7L) / Byte.SIZE;
    if (bytes > 0) {
      MemoryUtil.copyMemory(
          VectorMemory.address(vector.getValidityBuffer(), bytes),
          VectorMemory.address(promoted.getValidityBuffer(), bytes),
          bytes);
    }
  }

  private IcewalException noWay(FieldVector vector, Type target) {
    return new IcewalException(
        ErrorKind.INVALID,
        "a column of "
            + writtenType(vector)
            + " cannot be read as "
            + target
            + ": '"
            + vector.getName()
            + "', field id "
            + ArrowSchemas.fieldId(vector.getField()));
  }
}
