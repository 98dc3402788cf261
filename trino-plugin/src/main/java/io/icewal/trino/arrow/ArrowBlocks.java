package io.icewal.trino.arrow;

import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;

import io.airlift.slice.Slices;
import io.trino.spi.block.ArrayBlock;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RowBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;
import java.util.Optional;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.Types.MinorType;

/// Arrow columns in canonical form ([io.icewal.model.ArrowSchemas]) as Trino's blocks. Copies: the
/// vectors may be closed afterwards. Pure.
public final class ArrowBlocks {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final int PICOS_PER_NANO = 1_000;
  private static final long PICOS_PER_MICRO = 1_000_000;

  private ArrowBlocks() {}

  /// @param type as trino-iceberg translates the vector's Iceberg type
  public static Block of(FieldVector vector, Type type) {
    int count = vector.getValueCount();
    if (vector instanceof NullVector) {
      return RunLengthEncodedBlock.create(type, null, count);
    }
    Optional<long[]> valid = valid(vector);
    return switch (vector) {
      case BitVector bits -> bits(bits, valid);
      case DecimalVector decimals -> decimals(decimals, (DecimalType) type, valid);
      case FixedSizeBinaryVector fixed -> fixed(fixed, type, valid);
      case BaseFixedWidthVector numbers -> numbers(numbers, valid);
      case BaseVariableWidthVector bytes -> bytes(bytes, valid);
      case MapVector map -> map(map, (MapType) type, valid);
      case ListVector list -> list(list, (ArrayType) type, valid);
      case StructVector struct -> struct(struct, (RowType) type, valid);
      default -> throw new IllegalStateException("no canonical column: " + vector.getField());
    };
  }

  /// Arrow's validity bits are Trino's too: one a row, the lowest first.
  private static Optional<long[]> valid(FieldVector vector) {
    if (vector.getNullCount() == 0) {
      return Optional.empty();
    }
    int count = vector.getValueCount();
    ArrowBuf bits = vector.getValidityBuffer();
    long[] words = new long[(count + Long.SIZE - 1) / Long.SIZE];
    for (int i = 0; i < (count + Byte.SIZE - 1) / Byte.SIZE; i++) {
      words[i / Long.BYTES] |= (bits.getByte(i) & 0xFFL) << (Byte.SIZE * (i % Long.BYTES));
    }
    int rest = count % Long.SIZE;
    if (rest != 0) {
      words[words.length - 1] &= (1L << rest) - 1;
    }
    return Optional.of(words);
  }

  private static Block bits(BitVector vector, Optional<long[]> valid) {
    byte[] values = new byte[vector.getValueCount()];
    ArrowBuf data = vector.getDataBuffer();
    for (int i = 0; i < values.length; i++) {
      values[i] = (byte) ((data.getByte(i >> 3) >> (i & 7)) & 1);
    }
    return new ByteArrayBlock(values.length, valid, values);
  }

  private static Block numbers(BaseFixedWidthVector vector, Optional<long[]> valid) {
    return switch (vector.getMinorType()) {
      case INT, DATEDAY, FLOAT4 -> ints(vector, valid);
      case BIGINT, FLOAT8, TIMESTAMPMICRO -> longs(vector, 1, valid);
      case TIMEMICRO -> longs(vector, PICOS_PER_MICRO, valid);
      case TIMESTAMPMICROTZ, TIMESTAMPNANO, TIMESTAMPNANOTZ -> longTimes(vector, valid);
      default -> throw new IllegalStateException("no canonical column: " + vector.getField());
    };
  }

  private static Block ints(BaseFixedWidthVector vector, Optional<long[]> valid) {
    int[] values = new int[vector.getValueCount()];
    ArrowBuf data = vector.getDataBuffer();
    for (int i = 0; i < values.length; i++) {
      values[i] = data.getInt((long) i * Integer.BYTES);
    }
    return new IntArrayBlock(values.length, valid, values);
  }

  private static Block longs(BaseFixedWidthVector vector, long factor, Optional<long[]> valid) {
    long[] values = new long[vector.getValueCount()];
    ArrowBuf data = vector.getDataBuffer();
    for (int i = 0; i < values.length; i++) {
      values[i] = data.getLong((long) i * Long.BYTES) * factor;
    }
    return new LongArrayBlock(values.length, valid, values);
  }

  private static Block longTimes(BaseFixedWidthVector vector, Optional<long[]> valid) {
    MinorType kind = vector.getMinorType();
    int count = vector.getValueCount();
    int[] values = new int[count * 3];
    ArrowBuf data = vector.getDataBuffer();
    for (int i = 0; i < count; i++) {
      long time = data.getLong((long) i * Long.BYTES);
      switch (kind) {
        case TIMESTAMPMICROTZ ->
            zoned(
                values,
                i,
                Math.floorDiv(time, 1_000L),
                Math.floorMod(time, 1_000L) * NANOS_PER_MICRO);
        case TIMESTAMPNANOTZ ->
            zoned(
                values,
                i,
                Math.floorDiv(time, NANOS_PER_MILLI),
                Math.floorMod(time, NANOS_PER_MILLI));
        default ->
            Fixed12Block.encodeFixed12(
                Math.floorDiv(time, NANOS_PER_MICRO),
                (int) Math.floorMod(time, NANOS_PER_MICRO) * PICOS_PER_NANO,
                values,
                i);
      }
    }
    return new Fixed12Block(count, valid, values);
  }

  private static void zoned(int[] values, int i, long millis, long nanosOfMilli) {
    Fixed12Block.encodeFixed12(
        packDateTimeWithZone(millis, UTC_KEY), (int) nanosOfMilli * PICOS_PER_NANO, values, i);
  }

  private static Block decimals(DecimalVector vector, DecimalType type, Optional<long[]> valid) {
    int count = vector.getValueCount();
    ArrowBuf data = vector.getDataBuffer();
    if (type.isShort()) {
      long[] values = new long[count];
      for (int i = 0; i < count; i++) {
        values[i] = data.getLong((long) i * DecimalVector.TYPE_WIDTH);
      }
      return new LongArrayBlock(count, valid, values);
    }
    long[] values = new long[count * 2];
    for (int i = 0; i < count; i++) {
      values[2 * i] = data.getLong((long) i * DecimalVector.TYPE_WIDTH + Long.BYTES);
      values[2 * i + 1] = data.getLong((long) i * DecimalVector.TYPE_WIDTH);
    }
    return new Int128ArrayBlock(count, valid, values);
  }

  private static Block fixed(FixedSizeBinaryVector vector, Type type, Optional<long[]> valid) {
    int count = vector.getValueCount();
    int width = vector.getByteWidth();
    ArrowBuf data = vector.getDataBuffer();
    if (type instanceof io.trino.spi.type.UuidType) {
      long[] values = new long[count * 2];
      for (int i = 0; i < values.length; i++) {
        values[i] = data.getLong((long) i * Long.BYTES);
      }
      return new Int128ArrayBlock(count, valid, values);
    }
    int[] offsets = new int[count + 1];
    for (int i = 0; i < count; i++) {
      offsets[i + 1] = Math.addExact(offsets[i], vector.isNull(i) ? 0 : width);
    }
    byte[] bytes = new byte[offsets[count]];
    for (int i = 0; i < count; i++) {
      data.getBytes((long) i * width, bytes, offsets[i], offsets[i + 1] - offsets[i]);
    }
    return new VariableWidthBlock(count, Slices.wrappedBuffer(bytes), offsets, valid);
  }

  /// Trino takes a null's bytes for the next value's, so there must be none.
  private static Block bytes(BaseVariableWidthVector vector, Optional<long[]> valid) {
    int count = vector.getValueCount();
    int[] from = offsets(vector.getOffsetBuffer(), count);
    int[] offsets = new int[count + 1];
    for (int i = 0; i < count; i++) {
      offsets[i + 1] = offsets[i] + (vector.isNull(i) ? 0 : from[i + 1] - from[i]);
    }
    byte[] bytes = new byte[offsets[count]];
    ArrowBuf data = vector.getDataBuffer();
    if (bytes.length == from[count] - from[0]) {
      data.getBytes(from[0], bytes);
    } else {
      for (int i = 0; i < count; i++) {
        data.getBytes(from[i], bytes, offsets[i], offsets[i + 1] - offsets[i]);
      }
    }
    return new VariableWidthBlock(count, Slices.wrappedBuffer(bytes), offsets, valid);
  }

  /// An empty vector may be without its first offset.
  private static int[] offsets(ArrowBuf buffer, int count) {
    int[] offsets = new int[count + 1];
    for (int i = 0; count > 0 && i <= count; i++) {
      offsets[i] = buffer.getInt((long) i * Integer.BYTES);
    }
    return offsets;
  }

  private static Block list(ListVector vector, ArrayType type, Optional<long[]> valid) {
    Entries entries = Entries.of(vector, valid);
    Block elements = entries.of(of(vector.getDataVector(), type.getElementType()));
    return ArrayBlock.fromElementBlock(vector.getValueCount(), valid, entries.offsets(), elements);
  }

  private static Block map(MapVector vector, MapType type, Optional<long[]> valid) {
    Entries entries = Entries.of(vector, valid);
    StructVector pairs = (StructVector) vector.getDataVector();
    Block keys = of((FieldVector) pairs.getChildByOrdinal(0), type.getKeyType());
    Block values = of((FieldVector) pairs.getChildByOrdinal(1), type.getValueType());
    return type.createBlockFromKeyValue(
        valid, entries.offsets(), entries.of(keys), entries.of(values));
  }

  private static Block struct(StructVector vector, RowType type, Optional<long[]> valid) {
    Block[] fields = new Block[type.getFields().size()];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = of((FieldVector) vector.getChildByOrdinal(i), type.getFields().get(i).getType());
    }
    return RowBlock.fromNotNullSuppressedFieldBlocks(vector.getValueCount(), valid, fields);
  }

  /// Where the entries of lists lie. Under a null Arrow may have entries, Trino must have none.
  ///
  /// @param offsets without entries of nulls
  /// @param chosen the entries that count; null for all of them
  private record Entries(int[] offsets, int @org.jspecify.annotations.Nullable [] chosen) {
    static Entries of(ListVector vector, Optional<long[]> valid) {
      int count = vector.getValueCount();
      int[] offsets = ArrowBlocks.offsets(vector.getOffsetBuffer(), count);
      boolean plain = offsets[0] == 0;
      for (int i = 0; plain && valid.isPresent() && i < count; i++) {
        plain = !vector.isNull(i) || offsets[i] == offsets[i + 1];
      }
      if (plain) {
        return new Entries(offsets, null);
      }
      int[] chosen = new int[offsets[count] - offsets[0]];
      int[] compact = new int[count + 1];
      int next = 0;
      for (int i = 0; i < count; i++) {
        for (int j = offsets[i]; !vector.isNull(i) && j < offsets[i + 1]; j++) {
          chosen[next++] = j;
        }
        compact[i + 1] = next;
      }
      return new Entries(compact, java.util.Arrays.copyOf(chosen, next));
    }

    Block of(Block all) {
      return chosen == null ? all : all.copyPositions(chosen, 0, chosen.length);
    }
  }
}
