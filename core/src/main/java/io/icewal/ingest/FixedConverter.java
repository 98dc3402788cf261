package io.icewal.ingest;

import io.icewal.model.Rule;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.types.Type.TypeID;

/// Byte strings of one length: fixed and uuid.
///
/// A uuid comes as its 16 bytes, or as a text of 36 characters in the form `8-4-4-4-12` of
/// hexadecimal digits in either case.
final class FixedConverter implements ColumnConverter {
  private static final int UUID_CHARS = 36;

  private final Site site;
  private final ByteForm form;
  private final int inWidth;
  private final int outWidth;
  private final boolean uuidText;

  /// @param inWidth bytes of a value of form FIXED
  /// @param uuidText whether values are texts of uuids
  FixedConverter(Site site, ByteForm form, int inWidth, int outWidth, boolean uuidText) {
    this.site = site;
    this.form = form;
    this.inWidth = inWidth;
    this.outWidth = outWidth;
    this.uuidText = uuidText;
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    NullMap nulls = NullMap.of(in, slots, site, run);
    run.checkNulls(site, slots, nulls);
    try (ArrowBuf validity = nulls.toBuffer(run)) {
      ArrowBuf data = in.getDataBuffer();
      if (form == ByteForm.FIXED
          && slots.isPrefix()
          && data.capacity() >= (long) outWidth * slots.count()
          && run.canShare(data)) {
        run.load(out, slots.count(), nulls.nullCount(), List.of(validity, data));
      } else {
        gather(in, validity, slots, nulls, out, run);
      }
    }
  }

  private void gather(
      FieldVector in,
      ArrowBuf validity,
      Slots slots,
      NullMap nulls,
      FieldVector out,
      Conversion run) {
    ByteSpans spans = ByteSpans.of(form, inWidth, in, site, slots, nulls, run);
    try (ArrowBuf data = run.buffer((long) outWidth * Math.max(1, slots.count()))) {
      data.setZero(0, data.capacity());
      for (int i = 0; i < slots.count(); i++) {
        if (!nulls.isNull(i) && spans.isGood(i)) {
          copy(spans, slots, i, data.memoryAddress() + (long) outWidth * i, run);
        }
      }
      run.load(out, slots.count(), nulls.nullCount(), List.of(validity, data));
    }
  }

  private void copy(ByteSpans spans, Slots slots, int slot, long target, Conversion run) {
    int length = spans.length(slot);
    if (uuidText) {
      if (length != UUID_CHARS || !parse(spans.address(slot), target)) {
        badUuid(spans, slots, slot, run);
      }
    } else if (length != outWidth) {
      run.bad(
          site,
          slots,
          slot,
          Rule.LENGTH,
          i -> spans.length(i) + " bytes",
          Rule.lengthMessage(length, name(), outWidth));
    } else {
      MemoryUtil.copyMemory(spans.address(slot), target, length);
    }
  }

  private String name() {
    return site.type().typeId() == TypeID.UUID ? "uuid" : site.type().toString();
  }

  private void badUuid(ByteSpans spans, Slots slots, int slot, Conversion run) {
    run.bad(
        site,
        slots,
        slot,
        Rule.UUID,
        i -> text(spans.address(i), Math.min(spans.length(i), 2 * UUID_CHARS)),
        "text is not a uuid; expected 36 characters like 123e4567-e89b-12d3-a456-426614174000");
  }

  private static String text(long address, int length) {
    byte[] bytes = new byte[length];
    MemoryUtil.copyFromMemory(address, bytes, 0, length);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static boolean parse(long address, long target) {
    int written = 0;
    int at = 0;
    while (at < UUID_CHARS) {
      if (at == 8 || at == 13 || at == 18 || at == 23) {
        if (MemoryUtil.getByte(address + at) != '-') {
          return false;
        }
        at++;
        continue;
      }
      int high = hexDigit(MemoryUtil.getByte(address + at));
      int low = hexDigit(MemoryUtil.getByte(address + at + 1));
      if (high < 0 || low < 0) {
        return false;
      }
      MemoryUtil.putByte(target + written++, (byte) (high << 4 | low));
      at += 2;
    }
    return true;
  }

  private static int hexDigit(byte character) {
    return character < 0 ? -1 : Character.digit((char) character, 16);
  }
}
