package io.icewal.ingest;

import java.util.Arrays;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;

/// Run-end encoded columns: each slot takes the value of the run that it lies in.
final class RunEndConverter implements ColumnConverter {
  private final Site site;
  private final WordSource endForm;
  private final ColumnConverter values;

  RunEndConverter(Site site, WordSource endForm, ColumnConverter values) {
    this.site = site;
    this.endForm = endForm;
    this.values = values;
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    RunEndEncodedVector encoded = (RunEndEncodedVector) in;
    FieldVector runs = encoded.getValuesVector();
    long[] ends = ends(encoded.getRunEndsVector(), slots, run);
    if (ends.length > runs.getValueCount()) {
      throw run.malformed(
          site, "has " + ends.length + " runs and " + runs.getValueCount() + " values for them");
    }
    run.chargeHeap(4L * slots.count());
    int[] source = new int[slots.count()];
    int current = 0;
    for (int i = 0; i < source.length; i++) {
      int at = slots.at(i);
      if (at < 0) {
        source[i] = at;
        continue;
      }
      if (at >= ends[current] || (current > 0 && at < ends[current - 1])) {
        // The first run that ends above the value.
        int found = Arrays.binarySearch(ends, at + 1L);
        current = found >= 0 ? found : -found - 1;
      }
      source[i] = current;
    }
    values.convert(runs, slots.through(source, runs.getValueCount()), out, run);
  }

  /// The run ends, checked to rise and to cover every slot.
  private long[] ends(FieldVector in, Slots slots, Conversion run) {
    int count = in.getValueCount();
    Slots all = Slots.rows(count);
    NullMap nulls = NullMap.of(in, all, site, run);
    ArrowBuf data = in.getDataBuffer();
    run.checkCapacity(site, data, 8L * endForm.bytes(), all, nulls);
    if (nulls.nullCount() > 0) {
      throw run.malformed(site, "has a run without an end");
    }
    run.chargeHeap(8L * count);
    long[] ends = new long[count];
    endForm.read(data.memoryAddress(), all, nulls, 0, count, ends);
    long before = 0;
    for (long end : ends) {
      if (end <= before) {
        throw run.malformed(site, "has run ends that do not rise: " + end + " after " + before);
      }
      before = end;
    }
    if (before < slots.limit() && slots.count() > 0) {
      throw run.malformed(site, "has runs for " + before + " of " + slots.limit() + " values");
    }
    return ends;
  }
}
