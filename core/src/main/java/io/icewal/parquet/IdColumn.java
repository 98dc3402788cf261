package io.icewal.parquet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder;

/// Dictionary ids of the page in the making.
final class IdColumn {
  private static final int INITIAL_IDS = 256;
  private static final int BYTES_MAX = 1 << 20;

  private int[] ids = new int[INITIAL_IDS];
  private int size;

  void ensure(int more) {
    if (size + more > ids.length) {
      ids = Arrays.copyOf(ids, Math.max(size + more, 2 * ids.length));
    }
  }

  void add(int id) {
    ids[size++] = id;
  }

  int size() {
    return size;
  }

  /// Appends bit width and hybrid runs.
  void writeTo(PageBuffer out, int dictionarySize) {
    int width = BytesUtils.getWidthFromMaxInt(Math.max(0, dictionarySize - 1));
    out.ensure(1);
    out.bytes[out.size++] = (byte) width;
    try (RunLengthBitPackingHybridEncoder encoder =
        new RunLengthBitPackingHybridEncoder(
            width, INITIAL_IDS, BYTES_MAX, HeapByteBufferAllocator.getInstance())) {
      for (int i = 0; i < size; i++) {
        encoder.writeInt(ids[i]);
      }
      byte[] encoded = encoder.toBytes().toByteArray();
      out.ensure(encoded.length);
      System.arraycopy(encoded, 0, out.bytes, out.size, encoded.length);
      out.size += encoded.length;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void reset() {
    size = 0;
  }
}
