package io.icewal.ingest;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.complex.ListVector;

/// Arrow's null type, whose every value is null, into any optional column.
final class AllNullConverter implements ColumnConverter {
  private final Site site;

  AllNullConverter(Site site) {
    this.site = site;
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    if (site.presence() != Site.Presence.OPTIONAL) {
      for (int i = 0; i < slots.count(); i++) {
        if (slots.at(i) != Slots.MASKED) {
          run.bad(site, slots, i, Rules.nullRule(site), (String) null, Rules.nullMessage(site));
        }
      }
    }
    fill(out, slots.count(), run);
  }

  /// Gives an empty canonical vector the given number of nulls.
  static void fill(FieldVector out, int count, Conversion run) {
    if (out instanceof NullVector) {
      out.setValueCount(count);
      return;
    }
    ArrowBuf none = run.emptyBuffer();
    if (out instanceof BaseFixedWidthVector fixed) {
      long bytes =
          out instanceof BitVector ? (count >> 3) + 1 : (long) fixed.getTypeWidth() * count;
      try (ArrowBuf values = zeros(bytes, run)) {
        run.load(out, count, count, List.of(none, values));
      }
    } else if (out instanceof BaseVariableWidthVector) {
      try (ArrowBuf offsets = zeros(4L * (count + 1L), run)) {
        run.load(out, count, count, List.of(none, offsets, none));
      }
    } else if (out instanceof ListVector) {
      try (ArrowBuf offsets = zeros(4L * (count + 1L), run)) {
        run.load(out, count, count, List.of(none, offsets));
      }
      out.getChildrenFromFields().forEach(child -> fill(child, 0, run));
    } else {
      run.load(out, count, count, List.of(none));
      out.getChildrenFromFields().forEach(child -> fill(child, count, run));
    }
  }

  private static ArrowBuf zeros(long bytes, Conversion run) {
    ArrowBuf buffer = run.buffer(Math.max(8, bytes));
    buffer.setZero(0, buffer.capacity());
    return buffer;
  }
}
