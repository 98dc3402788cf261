package io.icewal.parquet;

import java.util.Arrays;
import java.util.Objects;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.FieldMetrics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.PrimitiveType;
import org.jspecify.annotations.Nullable;

/// BINARY columns (string, binary): length and bytes, ordered as unsigned bytes.
final class BytesEncoder implements LeafEncoder {
  private final PrimitiveType type;
  private final boolean mayUseDictionary;
  private final int pageBytes;
  private final PageBuffer page = new PageBuffer();
  private final IdColumn ids = new IdColumn();
  private @Nullable BytesDictionary dictionary;
  private boolean dictionaryOpen;

  /// Page in which a dictionary value was last met: its bounds are looked at once a page.
  private int[] metInPage = new int[0];

  private int pageNumber;
  private int values;
  private long plainBytes;
  private int minStart;
  private int minLength;
  private long minPrefix;
  private int maxStart;
  private int maxLength;
  private long maxPrefix;
  private boolean bounded;

  BytesEncoder(PrimitiveType type, boolean mayUseDictionary, int pageBytes) {
    this.type = type;
    this.mayUseDictionary = mayUseDictionary;
    this.pageBytes = pageBytes;
  }

  @Override
  public void startChunk(FieldVector sample, int from, int to) {
    dictionary = null;
    dictionaryOpen = false;
    metInPage = new int[0];
    pageNumber = 1;
    if (mayUseDictionary && from < to && repeats(sample, from, to)) {
      dictionary = new BytesDictionary();
      dictionaryOpen = true;
    }
  }

  private static boolean repeats(FieldVector sample, int from, int to) {
    long offsets = VectorMemory.offsets(sample, to);
    long data = sample.getDataBuffer().memoryAddress();
    BytesDictionary seen = new BytesDictionary();
    int sampled = 0;
    for (int i = from; i < to; i += DictionaryRule.step(to - from)) {
      int start = MemoryUtil.getInt(offsets + (long) i * Integer.BYTES);
      int length = MemoryUtil.getInt(offsets + (i + 1L) * Integer.BYTES) - start;
      if (seen.plain.size + (long) length > DictionaryRule.BYTES_MAX) {
        return false;
      }
      if (!sample.isNull(i)) {
        seen.idOf(data + start, length);
        sampled++;
      }
    }
    return DictionaryRule.pays(sampled, seen.size());
  }

  @Override
  public int fit(FieldVector vector, int from, int to, long bytes) {
    long offsets = VectorMemory.offsets(vector, to);
    long base = MemoryUtil.getInt(offsets + (long) from * Integer.BYTES);
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      long plain =
          MemoryUtil.getInt(offsets + (long) middle * Integer.BYTES)
              - base
              + (long) (middle - from) * Integer.BYTES;
      if (plain <= bytes) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low - from;
  }

  @Override
  public void append(FieldVector vector, int from, int to) {
    long offsets = VectorMemory.offsets(vector, to);
    int start = MemoryUtil.getInt(offsets + (long) from * Integer.BYTES);
    int end = MemoryUtil.getInt(offsets + (long) to * Integer.BYTES);
    long data = VectorMemory.address(vector.getDataBuffer(), end);
    int count = to - from;
    if (dictionaryOpen) {
      ids.ensure(count);
    } else {
      page.ensure(end - start + (long) count * Integer.BYTES);
    }
    for (int i = from; i < to; i++) {
      int next = MemoryUtil.getInt(offsets + (i + 1L) * Integer.BYTES);
      if (dictionaryOpen) {
        appendId(data + start, next - start);
      } else {
        page.putInt(next - start);
        page.putMemory(data + start, next - start);
        bound(page, page.size - (next - start), next - start);
      }
      plainBytes += next - start + Integer.BYTES;
      start = next;
    }
    values += count;
  }

  private void appendId(long address, int length) {
    BytesDictionary open = Objects.requireNonNull(dictionary);
    int id = open.idOf(address, length);
    ids.add(id);
    if (id >= metInPage.length) {
      metInPage = Arrays.copyOf(metInPage, Math.max(id + 1, 2 * metInPage.length));
    }
    if (metInPage[id] != pageNumber) {
      metInPage[id] = pageNumber;
      bound(open.plain, open.start(id), length);
    }
  }

  private void bound(PageBuffer buffer, int start, int length) {
    buffer.ensure(0);
    long prefix = PageBuffer.prefix(buffer.bytes, start, length);
    if (!bounded || below(buffer, prefix, start, length, minPrefix, minStart, minLength)) {
      minPrefix = prefix;
      minStart = start;
      minLength = length;
    }
    if (!bounded || below(buffer, maxPrefix, maxStart, maxLength, prefix, start, length)) {
      maxPrefix = prefix;
      maxStart = start;
      maxLength = length;
    }
    bounded = true;
  }

  private static boolean below(
      PageBuffer buffer,
      long prefix,
      int start,
      int length,
      long otherPrefix,
      int otherStart,
      int otherLength) {
    if (prefix != otherPrefix) {
      return Long.compareUnsigned(prefix, otherPrefix) < 0;
    }
    return Arrays.compareUnsigned(
            buffer.bytes, start, start + length, buffer.bytes, otherStart, otherStart + otherLength)
        < 0;
  }

  @Override
  public int plainBytes() {
    return (int) Math.min(Integer.MAX_VALUE, plainBytes);
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
    Statistics<?> statistics = Statistics.createStats(type);
    if (bounded) {
      byte[] bytes = (dictionaryOpen ? Objects.requireNonNull(dictionary).plain : page).bytes;
      statistics.updateStats(
          Binary.fromConstantByteArray(Arrays.copyOfRange(bytes, minStart, minStart + minLength)));
      statistics.updateStats(
          Binary.fromConstantByteArray(Arrays.copyOfRange(bytes, maxStart, maxStart + maxLength)));
    }
    return statistics;
  }

  @Override
  public void resetPage() {
    bounded = false;
    values = 0;
    plainBytes = 0;
    page.reset(pageBytes);
    ids.reset();
    pageNumber++;
    if (dictionary != null && dictionary.plain.size > DictionaryRule.BYTES_MAX) {
      dictionaryOpen = false;
    }
  }

  @Override
  public @Nullable PageBuffer dictionary() {
    return dictionary == null ? null : dictionary.plain;
  }

  @Override
  public int dictionarySize() {
    return dictionary == null ? 0 : dictionary.size();
  }

  @Override
  public @Nullable FieldMetrics<?> fieldMetrics(int fieldId, long valueCount, long nulls) {
    return null;
  }
}
