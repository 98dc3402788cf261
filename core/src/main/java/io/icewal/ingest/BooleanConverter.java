package io.icewal.ingest;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.FieldVector;

/// Booleans, one bit each.
final class BooleanConverter implements ColumnConverter {
  private final Site site;

  BooleanConverter(Site site) {
    this.site = site;
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    NullMap nulls = NullMap.of(in, slots, site, run);
    run.checkNulls(site, slots, nulls);
    ArrowBuf data = in.getDataBuffer();
    run.checkCapacity(site, data, 1, slots, nulls);
    int count = slots.count();
    boolean shared =
        slots.isPrefix() && count > 0 && data.capacity() * 8 >= count && run.canShare(data);
    long bytes = 8L * ((count >> 6) + 1);
    try (ArrowBuf validity = nulls.toBuffer(run);
        ArrowBuf values = shared ? run.emptyBuffer() : run.buffer(bytes)) {
      if (!shared) {
        gather(data, slots, nulls, values);
      }
      run.load(out, count, nulls.nullCount(), List.of(validity, shared ? data : values));
    }
  }

  private static void gather(ArrowBuf data, Slots slots, NullMap nulls, ArrowBuf values) {
    values.setZero(0, values.capacity());
    long from = data.memoryAddress();
    long to = values.memoryAddress();
    for (int i = 0; i < slots.count(); i++) {
      if (!nulls.isNull(i)) {
        int at = slots.at(i);
        int bit = MemoryUtil.getByte(from + (at >> 3)) >> (at & 7) & 1;
        long place = to + (i >> 3);
        MemoryUtil.putByte(place, (byte) (MemoryUtil.getByte(place) | bit << (i & 7)));
      }
    }
  }
}
