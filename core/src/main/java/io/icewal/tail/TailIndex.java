package io.icewal.tail;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.Survivors;
import io.icewal.wal.BlockRef;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;

/// The newest row of each key of a tail. Read from the key parts of its blocks alone. On the heap;
/// immutable; thread-safe.
public final class TailIndex {
  /// One record batch of a block.
  ///
  /// @param block index in [Tail#blocks]
  /// @param root index among the roots of the block's parts
  public record Source(int block, int root) {}

  /// @param key the table's key, with its current types
  public static TailIndex of(Tail tail, KeyColumns key, BufferAllocator allocator) {
    throw new UnsupportedOperationException();
  }

  public Tail tail() {
    throw new UnsupportedOperationException();
  }

  /// The newest rows, sorted by key; their sources are indexes in [#sources].
  public Survivors survivors() {
    throw new UnsupportedOperationException();
  }

  public List<Source> sources() {
    throw new UnsupportedOperationException();
  }

  /// The block of a source.
  public BlockRef block(int source) {
    throw new UnsupportedOperationException();
  }
}
