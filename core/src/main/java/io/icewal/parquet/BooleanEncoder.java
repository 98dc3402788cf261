package io.icewal.parquet;

import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.FieldMetrics;
import org.apache.parquet.column.statistics.BooleanStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.schema.PrimitiveType;
import org.jspecify.annotations.Nullable;

/// BOOLEAN columns: one bit a value, least significant first, as in Arrow.
final class BooleanEncoder implements LeafEncoder {
  private final PrimitiveType type;
  private final PageBuffer page = new PageBuffer();
  private int values;
  private int trues;

  BooleanEncoder(PrimitiveType type) {
    this.type = type;
  }

  @Override
  public void startChunk(FieldVector sample, int from, int to) {}

  @Override
  public int fit(FieldVector vector, int from, int to, long bytes) {
    return (int) Math.min(to - from, Math.max(0, bytes * Byte.SIZE));
  }

  @Override
  public void append(FieldVector vector, int from, int to) {
    long bits = VectorMemory.address(vector.getDataBuffer(), (to + 7L) / Byte.SIZE);
    page.ensure((to - from) / Byte.SIZE + 1L);
    for (int i = from; i < to; i++) {
      boolean value = VectorMemory.bit(bits, i);
      int shift = values & 7;
      if (shift == 0) {
        page.bytes[page.size++] = 0;
      }
      if (value) {
        page.bytes[page.size - 1] |= (byte) (1 << shift);
        trues++;
      }
      values++;
    }
  }

  @Override
  public int plainBytes() {
    return page.size;
  }

  @Override
  public boolean writePage(PageBuffer out) {
    out.ensure(page.size);
    System.arraycopy(page.bytes, 0, out.bytes, out.size, page.size);
    out.size += page.size;
    return false;
  }

  @Override
  public @Nullable Statistics<?> pageStatistics() {
    Statistics<?> statistics = Statistics.createStats(type);
    if (values > 0 && statistics instanceof BooleanStatistics booleans) {
      booleans.setMinMax(trues == values, trues > 0);
    }
    return statistics;
  }

  @Override
  public void resetPage() {
    values = 0;
    trues = 0;
    page.reset(page.bytes.length);
  }

  @Override
  public @Nullable PageBuffer dictionary() {
    return null;
  }

  @Override
  public int dictionarySize() {
    return 0;
  }

  @Override
  public @Nullable FieldMetrics<?> fieldMetrics(int fieldId, long valueCount, long nulls) {
    return null;
  }
}
