package io.icewal.parquet;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import java.util.Arrays;

/// Compresses pages with one zstd context a file. Not thread-safe.
final class PageCompressor implements AutoCloseable {
  private final ZstdCompressCtx context = new ZstdCompressCtx();
  private byte[] scratch = new byte[0];

  PageCompressor(int level) {
    context.setLevel(level);
  }

  byte[] compress(byte[] bytes, int length) {
    int bound = (int) Zstd.compressBound(length);
    if (scratch.length < bound) {
      scratch = new byte[bound];
    }
    int compressed = context.compressByteArray(scratch, 0, bound, bytes, 0, length);
    return Arrays.copyOf(scratch, compressed);
  }

  /// Gives a scratch buffer back that one huge page had blown up.
  void trim(int keepBytes) {
    if (scratch.length > 2L * keepBytes) {
      scratch = new byte[0];
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
