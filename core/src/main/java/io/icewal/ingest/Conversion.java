package io.icewal.ingest;

import io.icewal.model.Rule;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.jspecify.annotations.Nullable;

/// What the conversion of one batch carries from column to column: where memory comes from and how
/// much is left, the batch's dictionaries, and the verdicts so far. Not thread-safe.
final class Conversion {
  private final BufferAllocator allocator;
  private final DictionaryProvider dictionaries;
  private final VerdictList verdicts;
  private final @Nullable BitSet deletes;
  private final long bytesMax;
  private long bufferBytes;
  private long heapBytes;

  /// @param deletes the rows that delete, when only they and the others differ; else null
  /// @param bytesMax bytes that the converted rows may take, and as many for arrays on the way
  Conversion(
      BufferAllocator allocator,
      DictionaryProvider dictionaries,
      VerdictList verdicts,
      @Nullable BitSet deletes,
      long bytesMax) {
    this.allocator = allocator;
    this.dictionaries = dictionaries;
    this.verdicts = verdicts;
    this.deletes = deletes;
    this.bytesMax = bytesMax;
  }

  BufferAllocator allocator() {
    return allocator;
  }

  DictionaryProvider dictionaries() {
    return dictionaries;
  }

  /// Rows whose columns outside the key do not count; null when there are none.
  @Nullable BitSet deletes() {
    return deletes;
  }

  /// A new buffer; the caller releases it.
  ///
  /// @throws BatchRefused if the batch gets too large
  ArrowBuf buffer(long size) {
    bufferBytes += size;
    checkBytes(bufferBytes);
    return allocator.buffer(size);
  }

  ArrowBuf emptyBuffer() {
    return allocator.getEmpty();
  }

  /// Counts a heap array of the given bytes before it is made.
  ///
  /// @throws BatchRefused if the batch gets too large
  void chargeHeap(long size) {
    heapBytes += size;
    checkBytes(heapBytes);
  }

  /// Gives a vector its buffers. Those of the input are shared, not copied, where the allocators
  /// have a common root. Never takes over the caller's references.
  void load(FieldVector out, int count, int nullCount, List<ArrowBuf> buffers) {
    out.loadFieldBuffers(new ArrowFieldNode(count, nullCount), buffers);
  }

  /// Whether [#load] can share the input's buffers.
  boolean canShare(ArrowBuf buffer) {
    return buffer.getReferenceManager().getAllocator() == null
        || buffer.getReferenceManager().getAllocator().getRoot() == allocator.getRoot();
  }

  void bad(Site site, Slots slots, int slot, Rule rule, @Nullable String value, String message) {
    verdicts.add(slots.row(slot), site.path(), rule, value, message);
  }

  /// As [#bad], for a message that is worth making only if the verdict is kept.
  void bad(Site site, Slots slots, int slot, Rule rule, IntFunction<String> value, String message) {
    if (verdicts.isFull(site.path())) {
      verdicts.count(slots.row(slot));
    } else {
      bad(site, slots, slot, rule, value.apply(slot), message);
    }
  }

  /// Adds a verdict for each null that is not allowed.
  void checkNulls(Site site, Slots slots, NullMap nulls) {
    if (nulls.nullCount() == 0 || site.presence() == Site.Presence.OPTIONAL) {
      return;
    }
    for (int i = 0; i < slots.count(); i++) {
      if (nulls.isNull(i) && slots.at(i) != Slots.MASKED) {
        bad(site, slots, i, Rules.nullRule(site), (String) null, Rules.nullMessage(site));
      }
    }
  }

  /// Checks that a data buffer holds a value for each slot; a vector of nulls alone needs none.
  void checkCapacity(Site site, ArrowBuf data, long bitsEach, Slots slots, NullMap nulls) {
    if (nulls.nullCount() < slots.count() && data.capacity() * 8 < bitsEach * slots.limit()) {
      throw malformed(
          site, "has " + data.capacity() + " data bytes for " + slots.limit() + " values");
    }
  }

  BatchRefused malformed(Site site, String what) {
    return new BatchRefused(Rules.malformed(site.path(), what));
  }

  private void checkBytes(long bytes) {
    if (bytes > bytesMax) {
      throw new BatchRefused(
          Rules.batchTooLarge(
              "more than " + bytesMax + " bytes once converted", bytesMax + " bytes"));
    }
  }
}
