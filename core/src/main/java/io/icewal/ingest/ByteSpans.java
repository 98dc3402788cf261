package io.icewal.ingest;

import io.icewal.model.Rule;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.FieldVector;

/// Where in memory each slot's bytes lie. Every span was checked to lie within the input's own
/// buffers: what a sender wrote into offsets, views or lengths is never followed anywhere else.
/// Null slots and those with a verdict have length 0.
final class ByteSpans {
  private static final int VIEW_BYTES = 16;
  private static final int INLINE_BYTES_MAX = 12;

  private final Site site;
  private final Slots slots;
  private final Conversion run;
  private final long[] addresses;
  private final int[] lengths;
  private long totalBytes;

  private ByteSpans(Site site, Slots slots, Conversion run) {
    run.chargeHeap(12L * slots.count());
    this.site = site;
    this.slots = slots;
    this.run = run;
    this.addresses = new long[slots.count()];
    this.lengths = new int[slots.count()];
  }

  /// @param width bytes of a value of form FIXED
  static ByteSpans of(
      ByteForm form,
      int width,
      FieldVector in,
      Site site,
      Slots slots,
      NullMap nulls,
      Conversion run) {
    ByteSpans spans = new ByteSpans(site, slots, run);
    if (nulls.nullCount() < slots.count()) {
      switch (form) {
        case VARIABLE, LARGE -> spans.readOffsets(in, form == ByteForm.LARGE, nulls);
        case VIEW -> spans.readViews((BaseVariableWidthViewVector) in, nulls);
        case FIXED -> spans.readFixed(in, width, nulls);
      }
    }
    return spans;
  }

  long address(int slot) {
    return addresses[slot];
  }

  int length(int slot) {
    return Math.max(0, lengths[slot]);
  }

  /// False for a slot that has a verdict already.
  boolean isGood(int slot) {
    return lengths[slot] >= 0;
  }

  long totalBytes() {
    return totalBytes;
  }

  private void readOffsets(FieldVector in, boolean large, NullMap nulls) {
    ArrowBuf offsets = in.getOffsetBuffer();
    ArrowBuf data = in.getDataBuffer();
    long offsetBytes = large ? Long.BYTES : Integer.BYTES;
    if (offsets.capacity() < offsetBytes * (slots.limit() + 1L)) {
      throw run.malformed(
          site, "has " + offsets.capacity() + " offset bytes for " + slots.limit() + " values");
    }
    long address = offsets.memoryAddress();
    for (int i = 0; i < slots.count(); i++) {
      if (!nulls.isNull(i)) {
        long at = address + offsetBytes * slots.at(i);
        long start = large ? MemoryUtil.getLong(at) : MemoryUtil.getInt(at);
        long end = large ? MemoryUtil.getLong(at + Long.BYTES) : MemoryUtil.getInt(at + 4);
        set(i, data, start, end);
      }
    }
  }

  private void readViews(BaseVariableWidthViewVector in, NullMap nulls) {
    ArrowBuf views = in.getDataBuffer();
    List<ArrowBuf> buffers = in.getDataBuffers();
    run.checkCapacity(site, views, 8L * VIEW_BYTES, slots, nulls);
    for (int i = 0; i < slots.count(); i++) {
      if (!nulls.isNull(i)) {
        long offset = (long) VIEW_BYTES * slots.at(i);
        int length = MemoryUtil.getInt(views.memoryAddress() + offset);
        if (length <= INLINE_BYTES_MAX) {
          set(i, views, offset + 4, length < 0 ? length : offset + 4 + length);
        } else {
          readLongView(i, views.memoryAddress() + offset, length, buffers);
        }
      }
    }
  }

  private void readLongView(int slot, long view, int length, List<ArrowBuf> buffers) {
    int buffer = MemoryUtil.getInt(view + 8);
    long start = MemoryUtil.getInt(view + 12);
    if (buffer < 0 || buffer >= buffers.size()) {
      bad(slot, "view of buffer " + buffer + " among " + buffers.size());
      return;
    }
    set(slot, buffers.get(buffer), start, start + length);
    if (lengths[slot] == length
        && MemoryUtil.getInt(addresses[slot]) != MemoryUtil.getInt(view + 4)) {
      bad(slot, "view whose prefix differs from its value");
    }
  }

  private void readFixed(FieldVector in, int width, NullMap nulls) {
    ArrowBuf data = in.getDataBuffer();
    run.checkCapacity(site, data, 8L * width, slots, nulls);
    for (int i = 0; i < slots.count(); i++) {
      if (!nulls.isNull(i)) {
        long start = (long) width * slots.at(i);
        set(i, data, start, start + width);
      }
    }
  }

  private void set(int slot, ArrowBuf data, long start, long end) {
    if (start < 0 || end < start || end > data.capacity() || end - start > Integer.MAX_VALUE) {
      bad(slot, "bytes " + start + " to " + end + " of a buffer of " + data.capacity());
      return;
    }
    addresses[slot] = data.memoryAddress() + start;
    lengths[slot] = (int) (end - start);
    totalBytes += end - start;
  }

  private void bad(int slot, String seen) {
    totalBytes -= lengths[slot];
    lengths[slot] = -1;
    run.bad(
        site,
        slots,
        slot,
        Rule.MALFORMED,
        seen,
        "the value of column '" + site.path() + "' does not lie within the batch's own buffers");
  }
}
