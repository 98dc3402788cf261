package io.icewal.read;

import com.github.luben.zstd.Zstd;
import io.icewal.merge.KeyVector;
import java.util.Arrays;

/// Slices as bytes, to be sent from the process that plans a read to those that do it. Pure;
/// nothing of this is stored.
///
/// Sorted keys differ little from their neighbours: of an exact key the difference is written, of
/// any other one how many bytes it shares with the key before it, and the rest. The whole is a zstd
/// frame.
final class KeySliceCodec {
  private static final int LEVEL = 1;
  private static final int EXACT = 1;
  private static final long BYTES_MAX = 1L << 30;

  private KeySliceCodec() {}

  static byte[] encode(KeySlice slice) {
    VarBytes out = new VarBytes();
    out.put(slice.keys().isExact() ? EXACT : 0);
    out.put(slice.size());
    if (slice.keys().isExact()) {
      long before = 0;
      for (int i = slice.from(); i < slice.to(); i++) {
        out.put(slice.keys().prefix(i) - before);
        before = slice.keys().prefix(i);
      }
    } else {
      byte[] before = new byte[0];
      for (int i = slice.from(); i < slice.to(); i++) {
        byte[] key = slice.keys().bytes(i);
        int mismatch = Arrays.mismatch(before, key);
        int shared = mismatch < 0 ? key.length : mismatch;
        out.put(shared);
        out.put(key.length - shared);
        out.put(key, shared, key.length - shared);
        before = key;
      }
    }
    return Zstd.compress(out.toBytes(), LEVEL);
  }

  static KeySlice decode(byte[] bytes) {
    long size = Zstd.getFrameContentSize(bytes);
    VarBytes in = new VarBytes(Zstd.decompress(bytes, Math.toIntExact(size)));
    boolean exact = in.next() == EXACT;
    int count = Math.toIntExact(in.next());
    KeyVector keys = exact ? exactKeys(in, count) : keys(in, count);
    return new KeySlice(keys, 0, count);
  }

  private static KeyVector exactKeys(VarBytes in, int count) {
    long[] prefixes = new long[count];
    long before = 0;
    for (int i = 0; i < count; i++) {
      before += in.next();
      prefixes[i] = before;
    }
    return KeyVector.ofPrefixes(prefixes);
  }

  private static KeyVector keys(VarBytes in, int count) {
    int[] offsets = new int[count + 1];
    byte[] bytes = new byte[(int) Math.min(BYTES_MAX, 16L + 16L * count)];
    for (int i = 0; i < count; i++) {
      int shared = Math.toIntExact(in.next());
      int rest = Math.toIntExact(in.next());
      int start = offsets[i];
      int end = Math.addExact(start, shared + rest);
      if (end > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(end, (int) Math.min(BYTES_MAX, bytes.length * 2L)));
      }
      if (shared > 0) {
        System.arraycopy(bytes, offsets[i - 1], bytes, start, shared);
      }
      in.next(bytes, start + shared, rest);
      offsets[i + 1] = end;
    }
    return KeyVector.ofBytes(Arrays.copyOf(bytes, offsets[count]), offsets);
  }
}
