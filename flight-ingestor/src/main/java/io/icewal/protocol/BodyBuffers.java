package io.icewal.protocol;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.apache.arrow.memory.AllocationListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ForeignAllocation;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;

/// Memory for the bodies of messages. That of large ones is kept for the next one: fresh memory is
/// cleared by the system and once more by the JVM, which costs as much as filling it.
///
/// While a body is in use its memory counts in the allocator that it was asked from. What is kept
/// counts nowhere but in the JVM's direct memory, up to a bound.
///
/// Thread-safe.
public final class BodyBuffers implements AutoCloseable {
  /// Smaller ones come from the allocator, which keeps such memory itself.
  private static final int KEPT_BYTES_MIN = 1 << 20;

  /// Memory is made in multiples of this, so that bodies of about one size fit in each other's.
  private static final int STEP_BYTES = 1 << 20;

  private final BufferAllocator allocator;
  private final long keptBytesMax;
  private final BufferAllocator memory =
      new RootAllocator(AllocationListener.NOOP, Long.MAX_VALUE, bytes -> bytes);
  private final Deque<ArrowBuf> kept = new ArrayDeque<>();
  private long keptBytes;
  private boolean closed;

  /// @param allocator that bodies are asked from; stays the caller's
  /// @param keptBytesMax what is kept at most; 0 for nothing
  public BodyBuffers(BufferAllocator allocator, long keptBytesMax) {
    this.allocator = allocator;
    this.keptBytesMax = keptBytesMax;
  }

  /// Memory of at least that many bytes, which is the caller's to release. What is in it is
  /// undefined.
  ///
  /// @throws OutOfMemoryException if the allocator or the JVM has no more
  ArrowBuf allocate(int bytes) {
    try {
      return tryAllocate(bytes);
    } catch (OutOfMemoryError e) {
      // The JVM may have no more direct memory though the allocator would give it.
      return allocateAfterFreeing(bytes, e);
    }
  }

  private ArrowBuf tryAllocate(int bytes) {
    boolean keeps = bytes >= KEPT_BYTES_MIN && bytes <= keptBytesMax;
    return keeps ? lend(bytes) : allocator.buffer(bytes);
  }

  private ArrowBuf allocateAfterFreeing(int bytes, OutOfMemoryError first) {
    try {
      dropAll();
      return tryAllocate(bytes);
    } catch (OutOfMemoryError e) {
      e.addSuppressed(first);
      throw new OutOfMemoryException("no direct memory for " + bytes + " bytes", e);
    }
  }

  private ArrowBuf lend(int bytes) {
    ArrowBuf found = take(bytes);
    ArrowBuf lent = found == null ? memory.buffer(roundUp(bytes)) : found;
    try {
      return allocator.wrapForeignAllocation(
          new ForeignAllocation(lent.capacity(), lent.memoryAddress()) {
            @Override
            protected void release0() {
              giveBack(lent);
            }
          });
    } catch (OutOfMemoryException e) {
      giveBack(lent);
      throw e;
    }
  }

  private static long roundUp(int bytes) {
    return ((long) bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
  }

  /// The last one that was given back and fits, without wasting more than it is used for.
  private synchronized @Nullable ArrowBuf take(int bytes) {
    for (Iterator<ArrowBuf> each = kept.iterator(); each.hasNext(); ) {
      ArrowBuf buffer = each.next();
      if (buffer.capacity() >= bytes && buffer.capacity() / 2 <= bytes) {
        each.remove();
        keptBytes -= buffer.capacity();
        return buffer;
      }
    }
    return null;
  }

  /// Those that were not used for the longest time make room.
  private synchronized void giveBack(ArrowBuf buffer) {
    if (closed) {
      buffer.close();
      closeIfUnused();
      return;
    }
    kept.addFirst(buffer);
    keptBytes += buffer.capacity();
    while (keptBytes > keptBytesMax) {
      drop(kept.removeLast());
    }
  }

  private synchronized void dropAll() {
    while (!kept.isEmpty()) {
      drop(kept.removeLast());
    }
  }

  private void drop(ArrowBuf buffer) {
    keptBytes -= buffer.capacity();
    buffer.close();
  }

  /// What is kept for bodies to come.
  synchronized long keptBytes() {
    return keptBytes;
  }

  /// Frees what is kept; bodies that are still in use are freed when they are released.
  @Override
  public synchronized void close() {
    closed = true;
    dropAll();
    closeIfUnused();
  }

  private void closeIfUnused() {
    if (memory.getAllocatedMemory() == 0) {
      memory.close();
    }
  }
}
