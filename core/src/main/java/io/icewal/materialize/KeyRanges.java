package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.wal.BlockRef;
import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;

/// Cuts the keys of a cycle into ranges with about as many keys each. Immutable.
public final class KeyRanges implements Serializable {
  private static final long serialVersionUID = 1L;

  /// Blocks whose keys are looked at: they are spread over the cycle.
  private static final int BLOCKS_MAX = 16;

  private static final int KEYS_OF_BLOCK_MAX = 1024;

  private final boolean exact;

  /// The first key of each range but the first one, ascending.
  private final byte[][] starts;

  private KeyRanges(boolean exact, byte[][] starts) {
    this.exact = exact;
    this.starts = starts;
  }

  /// @param count how many ranges there should be; there may be fewer
  public static KeyRanges choose(CyclePlan plan, int count, BufferAllocator allocator) {
    List<BlockRef> blocks =
        plan.live().stream().filter(block -> block.header().hasRows() && block.rows() > 0).toList();
    List<KeyVector> samples = new ArrayList<>();
    int step = Math.max(1, (blocks.size() + BLOCKS_MAX - 1) / BLOCKS_MAX);
    for (int i = 0; i < blocks.size(); i += step) {
      samples.add(sample(plan, blocks.get(i), allocator));
    }
    KeyVector all = KeyVector.concat(samples);
    KeyVector sorted = all.gather(all.sort());
    List<byte[]> starts = new ArrayList<>();
    int last = 0;
    for (int range = 1; range < count; range++) {
      int at = (int) ((long) range * sorted.size() / count);
      if (at < sorted.size() && !sorted.sameKey(at, sorted, last)) {
        starts.add(sorted.bytes(at));
        last = at;
      }
    }
    return new KeyRanges(sorted.isExact(), starts.toArray(byte[][]::new));
  }

  private static KeyVector sample(CyclePlan plan, BlockRef block, BufferAllocator allocator) {
    KeyColumns key = plan.key();
    try (Batches batches = new Batches(plan.log(), key, allocator)) {
      KeyVector keys = batches.readKeys(List.of(block)).keys();
      int count = Math.min(keys.size(), KEYS_OF_BLOCK_MAX);
      int[] picked = new int[count];
      for (int i = 0; i < count; i++) {
        picked[i] = (int) ((long) i * keys.size() / count);
      }
      return keys.gather(picked);
    }
  }

  public int count() {
    return starts.length + 1;
  }

  /// Where each range ends (exclusive) in sorted keys: it begins where the one before ends.
  int[] ends(KeyVector keys) {
    KeyVector bounds = bounds();
    int[] ends = new int[count()];
    for (int range = 0; range < bounds.size(); range++) {
      int low = range == 0 ? 0 : ends[range - 1];
      int high = keys.size();
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (keys.compare(middle, bounds, range) < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      ends[range] = low;
    }
    ends[bounds.size()] = keys.size();
    return ends;
  }

  private KeyVector bounds() {
    if (exact) {
      long[] prefixes = new long[starts.length];
      for (int i = 0; i < starts.length; i++) {
        prefixes[i] = ByteBuffer.wrap(starts[i]).getLong();
      }
      return KeyVector.ofPrefixes(prefixes);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int[] offsets = new int[starts.length + 1];
    for (int i = 0; i < starts.length; i++) {
      bytes.writeBytes(starts[i]);
      offsets[i + 1] = bytes.size();
    }
    return KeyVector.ofBytes(bytes.toByteArray(), offsets);
  }
}
