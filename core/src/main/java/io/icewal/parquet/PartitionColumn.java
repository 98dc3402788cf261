package io.icewal.parquet;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.PartitionRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/// One partition field over a batch: for each row a small number that stands for its partition
/// value, and the values.
///
/// Values are made once for each distinct one. Numbers and short decimals are transformed as longs,
/// strings and the like as bytes.
final class PartitionColumn {
  static final int NULL = -1;

  /// Decimals up to this precision fit into a long.
  private static final int LONG_PRECISION = 18;

  private static final int DECIMAL_BYTES = 16;
  private static final BigInteger LONG_MIN = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

  private final RowTransform transform;
  private final Type source;
  private final @Nullable PartitionRange range;
  private final int[] ids;
  private final List<Object> values = new ArrayList<>();

  /// @param range the values that are not refused; null for all
  PartitionColumn(RowTransform transform, Type source, @Nullable PartitionRange range, int rows) {
    this.transform = transform;
    this.source = source;
    this.range = range;
    this.ids = new int[rows];
    Arrays.fill(ids, NULL);
  }

  int id(int row) {
    return ids[row];
  }

  /// The partition value, in Iceberg's internal form, of a row.
  @Nullable Object value(int row) {
    return ids[row] == NULL ? null : values.get(ids[row]);
  }

  /// @param parents the structs around the column: where one is null, so is the value
  /// @throws IcewalException INVALID for a value outside of the range
  void fill(FieldVector vector, List<FieldVector> parents) {
    boolean[] present = present(vector, parents);
    if (vector instanceof DecimalVector decimals && decimals.getPrecision() > LONG_PRECISION) {
      fillWideDecimals(decimals, present);
    } else if (vector instanceof BaseVariableWidthVector variable) {
      fillVariable(variable, present);
    } else if (source.typeId() == Type.TypeID.UUID || source.typeId() == Type.TypeID.FIXED) {
      fillFixed((BaseFixedWidthVector) vector, present);
    } else {
      fillNumbers(vector, present);
    }
  }

  private boolean[] present(FieldVector vector, List<FieldVector> parents) {
    boolean[] present = new boolean[ids.length];
    for (int row = 0; row < ids.length; row++) {
      present[row] = !vector.isNull(row);
      for (FieldVector parent : parents) {
        present[row] &= !parent.isNull(row);
      }
    }
    return present;
  }

  private void fillNumbers(FieldVector vector, boolean[] present) {
    int width = vector instanceof BitVector ? 0 : ((BaseFixedWidthVector) vector).getTypeWidth();
    long data =
        width == 0
            ? VectorMemory.address(vector.getDataBuffer(), (ids.length + 7L) / Byte.SIZE)
            : VectorMemory.values(vector, ids.length, width);
    long min = range == null ? Long.MIN_VALUE : range.min().max(LONG_MIN).longValue();
    long max = range == null ? Long.MAX_VALUE : range.max().min(LONG_MAX).longValue();
    NumberDictionary distinct = new NumberDictionary();
    byte[] hashed = new byte[Long.BYTES];
    for (int row = 0; row < ids.length; row++) {
      if (!present[row]) {
        continue;
      }
      long value = number(data, row, width);
      if (value < min || value > max) {
        throw outOfRange(value);
      }
      long result =
          source.typeId() == Type.TypeID.DECIMAL && transform.kind() == RowTransform.Kind.BUCKET
              ? transform.bucket(hashDecimal(value, hashed))
              : transform.apply(value, source.typeId());
      int id = distinct.idOf(result);
      if (id == values.size()) {
        values.add(object(result));
      }
      ids[row] = id;
    }
  }

  private long number(long data, int row, int width) {
    long value =
        switch (width) {
          case 0 -> VectorMemory.bit(data, row) ? 1 : 0;
          case Integer.BYTES -> MemoryUtil.getInt(data + (long) row * width);
          default -> MemoryUtil.getLong(data + (long) row * width);
        };
    if (source.typeId() == Type.TypeID.DOUBLE) {
      return Double.doubleToLongBits(Double.longBitsToDouble(value));
    } else if (source.typeId() == Type.TypeID.FLOAT) {
      return Float.floatToIntBits(Float.intBitsToFloat((int) value));
    }
    return value;
  }

  /// Hash of the shortest big-endian form.
  private static int hashDecimal(long value, byte[] scratch) {
    int length = 1;
    while (length < Long.BYTES && value >> (Byte.SIZE * length - 1) != value >> (Long.SIZE - 1)) {
      length++;
    }
    for (int i = 0; i < length; i++) {
      scratch[i] = (byte) (value >> (Byte.SIZE * (length - 1 - i)));
    }
    return Murmur3.hash(scratch, 0, length);
  }

  private Object object(long result) {
    return switch (transform.kind()) {
      // Beyond an int it wraps around, as in Iceberg.
      case BUCKET, YEAR, MONTH, DAY, HOUR -> (int) result;
      default ->
          switch (source.typeId()) {
            case BOOLEAN -> result != 0;
            case INTEGER, DATE -> (int) result;
            case FLOAT -> Float.intBitsToFloat((int) result);
            case DOUBLE -> Double.longBitsToDouble(result);
            case DECIMAL -> BigDecimal.valueOf(result, ((Types.DecimalType) source).scale());
            default -> result;
          };
    };
  }

  private IcewalException outOfRange(Object value) {
    String message = range == null ? "" : range.message();
    return new IcewalException(ErrorKind.INVALID, value + ": " + message);
  }

  private void fillWideDecimals(DecimalVector vector, boolean[] present) {
    Map<Object, Integer> distinct = new HashMap<>();
    BigInteger width = BigInteger.valueOf(transform.parameter());
    for (int row = 0; row < ids.length; row++) {
      if (!present[row]) {
        continue;
      }
      BigInteger unscaled = unscaled(vector, row);
      if (range != null && !range.contains(unscaled)) {
        throw outOfRange(new BigDecimal(unscaled, vector.getScale()).toPlainString());
      }
      Object result =
          switch (transform.kind()) {
            case BUCKET -> {
              byte[] bytes = unscaled.toByteArray();
              yield transform.bucket(Murmur3.hash(bytes, 0, bytes.length));
            }
            case TRUNCATE ->
                new BigDecimal(unscaled.subtract(unscaled.mod(width)), vector.getScale());
            default -> new BigDecimal(unscaled, vector.getScale());
          };
      ids[row] = idOf(result, distinct);
    }
  }

  private int idOf(Object result, Map<Object, Integer> distinct) {
    Integer known = distinct.putIfAbsent(result, values.size());
    if (known != null) {
      return known;
    }
    values.add(result);
    return values.size() - 1;
  }

  private static BigInteger unscaled(DecimalVector vector, int row) {
    long at = VectorMemory.values(vector, row + 1, DECIMAL_BYTES) + (long) row * DECIMAL_BYTES;
    byte[] bytes = new byte[DECIMAL_BYTES];
    for (int i = 0; i < DECIMAL_BYTES; i++) {
      bytes[i] = MemoryUtil.getByte(at + DECIMAL_BYTES - 1 - i);
    }
    return new BigInteger(bytes);
  }

  private void fillVariable(BaseVariableWidthVector vector, boolean[] present) {
    long offsets = VectorMemory.offsets(vector, ids.length);
    long data = vector.getDataBuffer().memoryAddress();
    if (ids.length > 0) {
      VectorMemory.address(vector.getDataBuffer(), MemoryUtil.getInt(offsets + 4L * ids.length));
    }
    Bytes bytes = new Bytes();
    for (int row = 0; row < ids.length; row++) {
      if (present[row]) {
        int start = MemoryUtil.getInt(offsets + 4L * row);
        bytes.add(row, data + start, MemoryUtil.getInt(offsets + 4L * (row + 1)) - start);
      }
    }
  }

  private void fillFixed(BaseFixedWidthVector vector, boolean[] present) {
    int width = vector.getTypeWidth();
    long data = VectorMemory.values(vector, ids.length, width);
    Bytes bytes = new Bytes();
    for (int row = 0; row < ids.length; row++) {
      if (present[row]) {
        bytes.add(row, data + (long) row * width, width);
      }
    }
  }

  /// Distinct results of byte-like values.
  private final class Bytes {
    private final BytesDictionary distinct = new BytesDictionary();
    private final NumberDictionary buckets = new NumberDictionary();
    private final PageBuffer scratch = new PageBuffer();

    void add(int row, long address, int length) {
      if (transform.kind() == RowTransform.Kind.IDENTITY) {
        put(row, address, length);
        return;
      }
      scratch.size = 0;
      scratch.putMemory(address, length);
      if (transform.kind() == RowTransform.Kind.BUCKET) {
        int bucket = transform.bucket(Murmur3.hash(scratch.bytes, 0, length));
        int id = buckets.idOf(bucket);
        if (id == values.size()) {
          values.add(bucket);
        }
        ids[row] = id;
      } else {
        put(row, address, transform.truncatedLength(scratch.bytes, 0, length, source.typeId()));
      }
    }

    private void put(int row, long address, int length) {
      int id = distinct.idOf(address, length);
      if (id == values.size()) {
        int start = distinct.start(id);
        values.add(object(Arrays.copyOfRange(distinct.plain.bytes, start, start + length)));
      }
      ids[row] = id;
    }

    private Object object(byte[] bytes) {
      return switch (source.typeId()) {
        case STRING -> new String(bytes, StandardCharsets.UTF_8);
        case UUID -> {
          ByteBuffer buffer = ByteBuffer.wrap(bytes);
          yield new UUID(buffer.getLong(), buffer.getLong());
        }
        default -> ByteBuffer.wrap(bytes);
      };
    }
  }
}
