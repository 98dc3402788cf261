package io.icewal.ingest;

import io.icewal.model.Rule;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;

/// Texts and byte strings of variable length: string and binary.
///
/// Where the input has the canonical form its offsets are checked in one loop and its buffers are
/// shared. Texts are looked at as one run of bytes first: if all are ASCII, which is the usual
/// case, no value needs a look of its own.
final class BytesConverter implements ColumnConverter {
  /// Bytes of a bad text that its verdict shows.
  private static final int SHOWN_BYTES_MAX = 24;

  private final Site site;
  private final ByteForm form;
  private final int width;
  private final boolean text;

  /// @param width bytes of a value of form FIXED
  /// @param text whether values must be UTF-8
  BytesConverter(Site site, ByteForm form, int width, boolean text) {
    this.site = site;
    this.form = form;
    this.width = width;
    this.text = text;
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    NullMap nulls = NullMap.of(in, slots, site, run);
    run.checkNulls(site, slots, nulls);
    try (ArrowBuf validity = nulls.toBuffer(run)) {
      if (form == ByteForm.VARIABLE && isCanonical(in, slots, run)) {
        load(in.getOffsetBuffer(), in.getDataBuffer(), validity, slots, nulls, out, run);
      } else {
        gather(in, validity, slots, nulls, out, run);
      }
    }
  }

  /// Offsets that begin at 0, never fall and end within the data are all good.
  private static boolean isCanonical(FieldVector in, Slots slots, Conversion run) {
    ArrowBuf offsets = in.getOffsetBuffer();
    int count = slots.count();
    if (!slots.isPrefix()
        || count == 0
        || offsets.capacity() < 4L * (count + 1L)
        || !run.canShare(offsets)
        || !run.canShare(in.getDataBuffer())) {
      return false;
    }
    long address = offsets.memoryAddress();
    int last = MemoryUtil.getInt(address);
    int falls = last;
    for (int i = 1; i <= count; i++) {
      int next = MemoryUtil.getInt(address + 4L * i);
      falls |= next | next - last;
      last = next;
    }
    return MemoryUtil.getInt(address) == 0 && falls >= 0 && last <= in.getDataBuffer().capacity();
  }

  private void gather(
      FieldVector in,
      ArrowBuf validity,
      Slots slots,
      NullMap nulls,
      FieldVector out,
      Conversion run) {
    ByteSpans spans = ByteSpans.of(form, width, in, site, slots, nulls, run);
    try (ArrowBuf offsets = run.buffer(4L * (slots.count() + 1L));
        ArrowBuf data = run.buffer(spans.totalBytes())) {
      long end = 0;
      offsets.setInt(0, 0);
      for (int i = 0; i < slots.count(); i++) {
        MemoryUtil.copyMemory(spans.address(i), data.memoryAddress() + end, spans.length(i));
        end += spans.length(i);
        offsets.setInt(4L * (i + 1), (int) end);
      }
      load(offsets, data, validity, slots, nulls, out, run);
    }
  }

  private void load(
      ArrowBuf offsets,
      ArrowBuf data,
      ArrowBuf validity,
      Slots slots,
      NullMap nulls,
      FieldVector out,
      Conversion run) {
    if (text) {
      checkText(offsets.memoryAddress(), data.memoryAddress(), slots, nulls, run);
    }
    run.load(out, slots.count(), nulls.nullCount(), List.of(validity, offsets, data));
  }

  private void checkText(long offsets, long data, Slots slots, NullMap nulls, Conversion run) {
    int count = slots.count();
    if (Utf8.isAscii(data, MemoryUtil.getInt(offsets + 4L * count))) {
      return;
    }
    for (int i = 0; i < count; i++) {
      int start = MemoryUtil.getInt(offsets + 4L * i);
      int length = MemoryUtil.getInt(offsets + 4L * (i + 1)) - start;
      if (!nulls.isNull(i) && !Utf8.isValid(data + start, length)) {
        run.bad(
            site,
            slots,
            i,
            Rule.UTF8,
            slot -> hex(data + start, length),
            "text is not well-formed UTF-8");
      }
    }
  }

  private static String hex(long address, int length) {
    StringBuilder hex = new StringBuilder("bytes");
    for (int i = 0; i < Math.min(length, SHOWN_BYTES_MAX); i++) {
      int value = MemoryUtil.getByte(address + i) & 0xFF;
      hex.append(' ')
          .append(Character.forDigit(value >> 4, 16))
          .append(Character.forDigit(value & 15, 16));
    }
    return hex.append(length > SHOWN_BYTES_MAX ? " …" : "").toString();
  }
}
