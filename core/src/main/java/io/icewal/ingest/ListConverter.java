package io.icewal.ingest;

import io.icewal.model.Rule;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.LargeListViewVector;
import org.apache.arrow.vector.complex.ListViewVector;

/// Lists of every form, and maps, which are lists of entries.
///
/// The elements are converted as one vector: those of the input as they lie, where the lists lie
/// one after another, else gathered. Null lists have no elements in the output, whatever theirs
/// were.
final class ListConverter implements ColumnConverter {
  private final Site site;
  private final ListForm form;
  private final int fixedLength;
  private final ColumnConverter elements;

  /// @param fixedLength elements of a list of form FIXED
  /// @param elements converts the child vector
  ListConverter(Site site, ListForm form, int fixedLength, ColumnConverter elements) {
    this.site = site;
    this.form = form;
    this.fixedLength = fixedLength;
    this.elements = elements;
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    NullMap nulls = NullMap.of(in, slots, site, run);
    run.checkNulls(site, slots, nulls);
    FieldVector child = in.getChildrenFromFields().get(0);
    Ranges ranges = new Ranges(in, child.getValueCount(), slots, nulls, run);
    try (ArrowBuf validity = nulls.toBuffer(run);
        ArrowBuf offsets = run.buffer(4L * ranges.ends.length)) {
      for (int i = 0; i < ranges.ends.length; i++) {
        offsets.setInt(4L * i, ranges.ends[i]);
      }
      run.load(out, slots.count(), nulls.nullCount(), List.of(validity, offsets));
    }
    elements.convert(child, ranges.elements(), out.getChildrenFromFields().get(0), run);
  }

  /// Which elements each list has, checked to lie within the child.
  private final class Ranges {
    private final Slots slots;
    private final Conversion run;
    private final int childCount;

    /// Where each list's elements begin in the child.
    private final int[] starts;

    /// Where each list's elements end in the output, after a leading 0.
    private final int[] ends;

    Ranges(FieldVector in, int childCount, Slots slots, NullMap nulls, Conversion run) {
      run.chargeHeap(8L * (slots.count() + 1L));
      this.slots = slots;
      this.run = run;
      this.childCount = childCount;
      this.starts = new int[slots.count()];
      this.ends = new int[slots.count() + 1];
      Bounds bounds = nulls.nullCount() < slots.count() ? bounds(in) : new Bounds(0, 0);
      for (int i = 0; i < slots.count(); i++) {
        int length = nulls.isNull(i) ? 0 : read(bounds, i);
        long end = (long) ends[i] + length;
        if (end > Integer.MAX_VALUE) {
          throw new BatchRefused(
              Rules.batchTooLarge("more than 2^31 elements in lists", "2^31 elements"));
        }
        ends[i + 1] = (int) end;
      }
    }

    /// The elements of all lists, in order.
    Slots elements() {
      int from = -1;
      int expected = -1;
      boolean inOrder = true;
      for (int i = 0; i < starts.length; i++) {
        int length = ends[i + 1] - ends[i];
        if (length > 0) {
          from = from < 0 ? starts[i] : from;
          inOrder &= expected < 0 || starts[i] == expected;
          expected = starts[i] + length;
        }
      }
      return inOrder ? slots.elements(ends, Math.max(0, from)) : gathered();
    }

    private Slots gathered() {
      run.chargeHeap(4L * ends[starts.length]);
      int[] source = new int[ends[starts.length]];
      for (int i = 0; i < starts.length; i++) {
        for (int k = ends[i]; k < ends[i + 1]; k++) {
          source[k] = starts[i] + k - ends[i];
        }
      }
      return slots.elements(ends, source, childCount);
    }

    private int read(Bounds bounds, int slot) {
      int at = slots.at(slot);
      long start =
          switch (form) {
            case OFFSETS, VIEW -> MemoryUtil.getInt(bounds.offsets + 4L * at);
            case LARGE_OFFSETS, LARGE_VIEW -> MemoryUtil.getLong(bounds.offsets + 8L * at);
            case FIXED -> (long) fixedLength * at;
          };
      long end =
          switch (form) {
            case OFFSETS -> MemoryUtil.getInt(bounds.offsets + 4L * at + 4);
            case LARGE_OFFSETS -> MemoryUtil.getLong(bounds.offsets + 8L * at + 8);
            case VIEW -> start + MemoryUtil.getInt(bounds.sizes + 4L * at);
            case LARGE_VIEW -> start + MemoryUtil.getLong(bounds.sizes + 8L * at);
            case FIXED -> start + fixedLength;
          };
      if (start < 0 || end < start || end > childCount) {
        run.bad(
            site,
            slots,
            slot,
            Rule.MALFORMED,
            "elements " + start + " to " + end + " of " + childCount,
            "the list in column '" + site.path() + "' does not lie within its child vector");
        return 0;
      }
      starts[slot] = (int) start;
      return (int) (end - start);
    }

    private Bounds bounds(FieldVector in) {
      return switch (form) {
        case OFFSETS -> new Bounds(checked(in.getOffsetBuffer(), 4, 1), 0);
        case LARGE_OFFSETS -> new Bounds(checked(in.getOffsetBuffer(), 8, 1), 0);
        case VIEW ->
            new Bounds(
                checked(in.getOffsetBuffer(), 4, 0),
                checked(((ListViewVector) in).getSizeBuffer(), 4, 0));
        case LARGE_VIEW ->
            new Bounds(
                checked(in.getOffsetBuffer(), 8, 0),
                checked(((LargeListViewVector) in).getSizeBuffer(), 8, 0));
        case FIXED -> new Bounds(0, 0);
      };
    }

    private long checked(ArrowBuf buffer, int bytesEach, int extra) {
      if (buffer.capacity() < bytesEach * ((long) slots.limit() + extra)) {
        throw run.malformed(
            site, "has " + buffer.capacity() + " offset bytes for " + slots.limit() + " lists");
      }
      return buffer.memoryAddress();
    }
  }

  /// Addresses of the offset and size buffers.
  private record Bounds(long offsets, long sizes) {}
}
