package io.icewal.spark.read;

import io.icewal.model.ArrowSchemas;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/// An Arrow column in canonical form ([io.icewal.model.ArrowSchemas]) as one of Spark's. A view:
/// the vector stays its owner's.
///
/// Spark's own view of Arrow knows neither uuid nor fixed, and takes fields of structs by number
/// where these go by field id.
final class TailColumn extends ColumnVector {
  private static final int LONG_DECIMAL_DIGITS = 18;

  private final FieldVector vector;
  private final TailColumn[] children;

  private TailColumn(FieldVector vector, DataType type, TailColumn... children) {
    super(type);
    this.vector = vector;
    this.children = children;
  }

  /// @param type the vector's
  /// @param wanted the part of it that is wanted: structs may have fewer fields
  static TailColumn of(FieldVector vector, Type type, DataType wanted) {
    if (vector instanceof StructVector struct) {
      return struct(struct, type.asStructType(), (StructType) wanted);
    }
    if (vector instanceof MapVector map) {
      Types.MapType mapType = type.asMapType();
      MapType wantedMap = (MapType) wanted;
      StructVector entries = (StructVector) map.getDataVector();
      return new TailColumn(
          vector,
          wanted,
          of((FieldVector) entries.getChildByOrdinal(0), mapType.keyType(), wantedMap.keyType()),
          of(
              (FieldVector) entries.getChildByOrdinal(1),
              mapType.valueType(),
              wantedMap.valueType()));
    }
    if (vector instanceof ListVector list) {
      Type element = type.asListType().elementType();
      return new TailColumn(
          vector, wanted, of(list.getDataVector(), element, ((ArrayType) wanted).elementType()));
    }
    return new TailColumn(vector, wanted);
  }

  private static TailColumn struct(StructVector struct, Types.StructType type, StructType wanted) {
    StructField[] fields = wanted.fields();
    TailColumn[] children = new TailColumn[fields.length];
    List<FieldVector> vectors = struct.getChildrenFromFields();
    for (int i = 0; i < fields.length; i++) {
      NestedField field = type.field(fields[i].name());
      FieldVector child = ArrowSchemas.find(vectors, field.fieldId());
      if (child == null) {
        throw new IllegalStateException("no field " + field + " in " + struct.getField());
      }
      children[i] = of(child, field.type(), fields[i].dataType());
    }
    return new TailColumn(struct, wanted, children);
  }

  @Override
  public void close() {}

  @Override
  public boolean hasNull() {
    return vector.getNullCount() > 0;
  }

  @Override
  public int numNulls() {
    return vector.getNullCount();
  }

  @Override
  public boolean isNullAt(int row) {
    return vector.isNull(row);
  }

  /// Of a null any value, as of the other types: Spark copies arrays with all of their values.
  @Override
  public boolean getBoolean(int row) {
    return (data().getByte(row >> 3) >> (row & 7) & 1) != 0;
  }

  @Override
  public byte getByte(int row) {
    throw none("byte");
  }

  @Override
  public short getShort(int row) {
    throw none("short");
  }

  @Override
  public int getInt(int row) {
    return data().getInt((long) row * Integer.BYTES);
  }

  @Override
  public long getLong(int row) {
    return data().getLong((long) row * Long.BYTES);
  }

  @Override
  public float getFloat(int row) {
    return data().getFloat((long) row * Float.BYTES);
  }

  @Override
  public double getDouble(int row) {
    return data().getDouble((long) row * Double.BYTES);
  }

  private ArrowBuf data() {
    return vector.getDataBuffer();
  }

  @Override
  public @Nullable Decimal getDecimal(int row, int precision, int scale) {
    if (isNullAt(row)) {
      return null;
    }
    if (precision <= LONG_DECIMAL_DIGITS) {
      return Decimal.createUnsafe(
          data().getLong((long) row * DecimalVector.TYPE_WIDTH), precision, scale);
    }
    return Decimal.apply(((DecimalVector) vector).getObject(row), precision, scale);
  }

  @Override
  public @Nullable UTF8String getUTF8String(int row) {
    if (isNullAt(row)) {
      return null;
    }
    if (vector instanceof FixedSizeBinaryVector uuid) {
      ByteBuffer bytes = ByteBuffer.wrap(uuid.get(row));
      return UTF8String.fromString(new UUID(bytes.getLong(), bytes.getLong()).toString());
    }
    BaseVariableWidthVector text = (BaseVariableWidthVector) vector;
    int start = text.getStartOffset(row);
    int length = text.getEndOffset(row) - start;
    return UTF8String.fromAddress(null, data().memoryAddress() + start, length);
  }

  @Override
  public byte @Nullable [] getBinary(int row) {
    if (isNullAt(row)) {
      return null;
    }
    if (vector instanceof FixedSizeBinaryVector fixed) {
      return fixed.get(row);
    }
    BaseVariableWidthVector binary = (BaseVariableWidthVector) vector;
    int start = binary.getStartOffset(row);
    byte[] bytes = new byte[binary.getEndOffset(row) - start];
    data().getBytes(start, bytes);
    return bytes;
  }

  @Override
  public ColumnarArray getArray(int row) {
    ListVector list = (ListVector) vector;
    int start = list.getElementStartIndex(row);
    return new ColumnarArray(children[0], start, list.getElementEndIndex(row) - start);
  }

  @Override
  public ColumnarMap getMap(int row) {
    ListVector map = (ListVector) vector;
    int start = map.getElementStartIndex(row);
    return new ColumnarMap(children[0], children[1], start, map.getElementEndIndex(row) - start);
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    return children[ordinal];
  }

  private UnsupportedOperationException none(String type) {
    return new UnsupportedOperationException("no " + type + " in " + vector.getField());
  }
}
