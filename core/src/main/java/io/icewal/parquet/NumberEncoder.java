package io.icewal.parquet;

import java.util.Objects;
import java.util.function.LongFunction;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.FieldMetrics;
import org.apache.parquet.column.statistics.DoubleStatistics;
import org.apache.parquet.column.statistics.FloatStatistics;
import org.apache.parquet.column.statistics.IntStatistics;
import org.apache.parquet.column.statistics.LongStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/// INT32, INT64, FLOAT and DOUBLE columns, small decimals included: Arrow's memory is Parquet's
/// plain encoding, so values are copied in bulk.
///
/// Bounds are kept as ordered numbers: a float's bits with the order of [Double#compare].
final class NumberEncoder implements LeafEncoder {
  private final PrimitiveType type;
  private final PrimitiveTypeName kind;
  private final int width;
  private final int sourceWidth;
  private final boolean mayUseDictionary;
  private final PageBuffer page = new PageBuffer();
  private final IdColumn ids = new IdColumn();
  private @Nullable NumberDictionary dictionary;
  private boolean dictionaryOpen;
  private int values;
  private long min = Long.MAX_VALUE;
  private long max = Long.MIN_VALUE;
  private long nans;
  private long totalMin = Long.MAX_VALUE;
  private long totalMax = Long.MIN_VALUE;
  private long totalNans;

  /// @param sourceWidth bytes of a value in Arrow: 16 for decimals, of which the low ones are used
  NumberEncoder(PrimitiveType type, int sourceWidth, boolean mayUseDictionary) {
    this.type = type;
    this.kind = type.getPrimitiveTypeName();
    this.width =
        kind == PrimitiveTypeName.INT32 || kind == PrimitiveTypeName.FLOAT
            ? Integer.BYTES
            : Long.BYTES;
    this.sourceWidth = sourceWidth;
    this.mayUseDictionary = mayUseDictionary;
  }

  @Override
  public void startChunk(FieldVector sample, int from, int to) {
    dictionary = null;
    dictionaryOpen = false;
    if (!mayUseDictionary || from >= to) {
      return;
    }
    long address = VectorMemory.values(sample, to, sourceWidth);
    NumberDictionary seen = new NumberDictionary();
    int sampled = 0;
    for (int i = from; i < to; i += DictionaryRule.step(to - from)) {
      if (!sample.isNull(i)) {
        seen.idOf(bits(address + (long) i * sourceWidth));
        sampled++;
      }
    }
    if (DictionaryRule.pays(sampled, seen.size())) {
      dictionary = new NumberDictionary();
      dictionaryOpen = true;
    }
  }

  private long bits(long address) {
    return width == Integer.BYTES ? MemoryUtil.getInt(address) : MemoryUtil.getLong(address);
  }

  @Override
  public int fit(FieldVector vector, int from, int to, long bytes) {
    return (int) Math.min(to - from, Math.max(0, bytes / width));
  }

  @Override
  public void append(FieldVector vector, int from, int to) {
    long start = VectorMemory.values(vector, to, sourceWidth) + (long) from * sourceWidth;
    int count = to - from;
    if (dictionaryOpen) {
      appendIds(start, count);
    } else if (sourceWidth == width) {
      page.ensure((long) count * width);
      MemoryUtil.copyFromMemory(start, page.bytes, page.size, (long) count * width);
      page.size += count * width;
    } else {
      appendNarrowed(start, count);
    }
    values += count;
    bound(start, count);
  }

  private void appendIds(long start, int count) {
    NumberDictionary open = Objects.requireNonNull(dictionary);
    ids.ensure(count);
    for (int i = 0; i < count; i++) {
      ids.add(open.idOf(bits(start + (long) i * sourceWidth)));
    }
  }

  private void appendNarrowed(long start, int count) {
    page.ensure((long) count * width);
    for (int i = 0; i < count; i++) {
      long at = start + (long) i * sourceWidth;
      if (width == Integer.BYTES) {
        page.putInt(MemoryUtil.getInt(at));
      } else {
        page.putLong(MemoryUtil.getLong(at));
      }
    }
  }

  private void bound(long start, int count) {
    switch (kind) {
      case INT32 -> boundInts(start, count);
      case FLOAT -> boundFloats(start, count);
      case DOUBLE -> boundDoubles(start, count);
      default -> boundLongs(start, count);
    }
  }

  private void boundInts(long start, int count) {
    int low = Integer.MAX_VALUE;
    int high = Integer.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      int value = MemoryUtil.getInt(start + (long) i * sourceWidth);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    min = Math.min(min, low);
    max = Math.max(max, high);
  }

  private void boundLongs(long start, int count) {
    long low = min;
    long high = max;
    for (int i = 0; i < count; i++) {
      long value = MemoryUtil.getLong(start + (long) i * sourceWidth);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    min = low;
    max = high;
  }

  private void boundFloats(long start, int count) {
    for (int i = 0; i < count; i++) {
      int bits = MemoryUtil.getInt(start + (long) i * Float.BYTES);
      if (Float.isNaN(Float.intBitsToFloat(bits))) {
        nans++;
      } else {
        int ordered = ordered(bits);
        min = Math.min(min, ordered);
        max = Math.max(max, ordered);
      }
    }
  }

  private void boundDoubles(long start, int count) {
    long low = min;
    long high = max;
    for (int i = 0; i < count; i++) {
      long bits = MemoryUtil.getLong(start + (long) i * Double.BYTES);
      if (Double.isNaN(Double.longBitsToDouble(bits))) {
        nans++;
      } else {
        long ordered = ordered(bits);
        low = Math.min(low, ordered);
        high = Math.max(high, ordered);
      }
    }
    min = low;
    max = high;
  }

  /// Bits as a number that orders as [Double#compare]; its own inverse.
  private static long ordered(long bits) {
    return bits ^ ((bits >> (Long.SIZE - 1)) & Long.MAX_VALUE);
  }

  private static int ordered(int bits) {
    return bits ^ ((bits >> (Integer.SIZE - 1)) & Integer.MAX_VALUE);
  }

  @Override
  public int plainBytes() {
    return values * width;
  }

  @Override
  public boolean writePage(PageBuffer out) {
    if (dictionaryOpen) {
      ids.writeTo(out, Objects.requireNonNull(dictionary).size());
      return true;
    }
    out.ensure(page.size);
    System.arraycopy(page.bytes, 0, out.bytes, out.size, page.size);
    out.size += page.size;
    return false;
  }

  @Override
  public @Nullable Statistics<?> pageStatistics() {
    if (nans > 0) {
      // Whether NaN is above or below all numbers differs from engine to engine.
      return null;
    }
    Statistics<?> statistics = Statistics.createStats(type);
    if (values > 0) {
      if (statistics instanceof IntStatistics ints) {
        ints.setMinMax((int) min, (int) max);
      } else if (statistics instanceof LongStatistics longs) {
        longs.setMinMax(min, max);
      } else if (statistics instanceof FloatStatistics floats) {
        floats.setMinMax(lowerZero(floatOf(min)), upperZero(floatOf(max)));
      } else if (statistics instanceof DoubleStatistics doubles) {
        doubles.setMinMax(lowerZero(doubleOf(min)), upperZero(doubleOf(max)));
      }
    }
    return statistics;
  }

  private static float floatOf(long ordered) {
    return Float.intBitsToFloat(ordered((int) ordered));
  }

  private static double doubleOf(long ordered) {
    return Double.longBitsToDouble(ordered(ordered));
  }

  /// Readers may take the zeros as one or as two values: bounds must hold either way.
  private static float lowerZero(float value) {
    return value == 0 ? -0.0f : value;
  }

  private static float upperZero(float value) {
    return value == 0 ? 0.0f : value;
  }

  private static double lowerZero(double value) {
    return value == 0 ? -0.0 : value;
  }

  private static double upperZero(double value) {
    return value == 0 ? 0.0 : value;
  }

  @Override
  public void resetPage() {
    totalMin = Math.min(totalMin, min);
    totalMax = Math.max(totalMax, max);
    totalNans += nans;
    min = Long.MAX_VALUE;
    max = Long.MIN_VALUE;
    nans = 0;
    values = 0;
    page.reset(page.bytes.length);
    ids.reset();
    if (dictionary != null && dictionary.size() * width > DictionaryRule.BYTES_MAX) {
      dictionaryOpen = false;
    }
  }

  @Override
  public @Nullable PageBuffer dictionary() {
    if (dictionary == null) {
      return null;
    }
    PageBuffer plain = new PageBuffer();
    for (int id = 0; id < dictionary.size(); id++) {
      if (width == Integer.BYTES) {
        plain.putInt((int) dictionary.value(id));
      } else {
        plain.putLong(dictionary.value(id));
      }
    }
    return plain;
  }

  @Override
  public int dictionarySize() {
    return dictionary == null ? 0 : dictionary.size();
  }

  @Override
  public @Nullable FieldMetrics<?> fieldMetrics(int fieldId, long valueCount, long nulls) {
    return switch (kind) {
      case FLOAT -> metrics(fieldId, valueCount, nulls, NumberEncoder::floatOf);
      case DOUBLE -> metrics(fieldId, valueCount, nulls, NumberEncoder::doubleOf);
      default -> null;
    };
  }

  private <T> FieldMetrics<T> metrics(
      int fieldId, long valueCount, long nulls, LongFunction<T> value) {
    return totalMin > totalMax
        ? new FieldMetrics<>(fieldId, valueCount, nulls, totalNans)
        : new FieldMetrics<>(
            fieldId, valueCount, nulls, totalNans, value.apply(totalMin), value.apply(totalMax));
  }
}
