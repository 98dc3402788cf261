package io.icewal.parquet;

import java.util.Arrays;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.FieldMetrics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.UUIDLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.jspecify.annotations.Nullable;

/// FIXED_LEN_BYTE_ARRAY columns: uuid and fixed as they are, ordered as unsigned bytes; wide
/// decimals turned to big-endian, ordered as signed numbers.
final class FixedBytesEncoder implements LeafEncoder {
  private static final int DECIMAL_BYTES = 16;

  private final PrimitiveType type;
  private final int width;
  private final boolean decimal;
  private final @Nullable UuidMetrics uuids;
  private final PageBuffer page = new PageBuffer();
  private int values;
  private int minStart;
  private int maxStart;
  private boolean bounded;

  FixedBytesEncoder(PrimitiveType type) {
    this.type = type;
    this.width = type.getTypeLength();
    this.decimal = type.getLogicalTypeAnnotation() instanceof DecimalLogicalTypeAnnotation;
    this.uuids =
        type.getLogicalTypeAnnotation() instanceof UUIDLogicalTypeAnnotation
            ? new UuidMetrics()
            : null;
  }

  @Override
  public void startChunk(FieldVector sample, int from, int to) {}

  @Override
  public int fit(FieldVector vector, int from, int to, long bytes) {
    return (int) Math.min(to - from, Math.max(0, bytes / width));
  }

  @Override
  public void append(FieldVector vector, int from, int to) {
    int sourceWidth = decimal ? DECIMAL_BYTES : width;
    long start = VectorMemory.values(vector, to, sourceWidth) + (long) from * sourceWidth;
    page.ensure((long) (to - from) * width);
    for (int i = 0; i < to - from; i++) {
      long at = start + (long) i * sourceWidth;
      if (decimal) {
        for (int b = width - 1; b >= 0; b--) {
          page.bytes[page.size++] = MemoryUtil.getByte(at + b);
        }
      } else {
        page.putMemory(at, width);
      }
      bound(page.size - width);
    }
    if (uuids != null && to > from) {
      uuids.add(page.bytes, page.size - (to - from) * width, page.size);
    }
    values += to - from;
  }

  private void bound(int start) {
    if (!bounded || compare(start, minStart) < 0) {
      minStart = start;
    }
    if (!bounded || compare(start, maxStart) > 0) {
      maxStart = start;
    }
    bounded = true;
  }

  private int compare(int one, int other) {
    byte[] bytes = page.bytes;
    if (decimal && bytes[one] != bytes[other]) {
      return Byte.compare(bytes[one], bytes[other]);
    }
    return Arrays.compareUnsigned(bytes, one, one + width, bytes, other, other + width);
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
    if (values > 0) {
      statistics.updateStats(valueAt(minStart));
      statistics.updateStats(valueAt(maxStart));
    }
    return statistics;
  }

  private Binary valueAt(int start) {
    return Binary.fromConstantByteArray(Arrays.copyOfRange(page.bytes, start, start + width));
  }

  @Override
  public void resetPage() {
    values = 0;
    bounded = false;
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
    return uuids == null ? null : uuids.metrics(fieldId, valueCount, nulls);
  }
}
