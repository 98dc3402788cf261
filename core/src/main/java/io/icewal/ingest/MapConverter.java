package io.icewal.ingest;

import io.icewal.model.Rule;
import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.compare.Range;
import org.apache.arrow.vector.compare.RangeEqualsVisitor;

/// Maps. The form is that of a list of entries; on top of it, keys must differ within a map: a map
/// with a key twice is refused, because engines disagree on which entry counts.
final class MapConverter implements ColumnConverter {
  private final Site site;
  private final ListConverter entries;

  MapConverter(Site site, ListConverter entries) {
    this.site = site;
    this.entries = entries;
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    entries.convert(in, slots, out, run);
    FieldVector keys = out.getChildrenFromFields().get(0).getChildrenFromFields().get(0);
    RangeEqualsVisitor equals = new RangeEqualsVisitor(keys, keys);
    ArrowBuf offsets = out.getOffsetBuffer();
    for (int i = 0; i < slots.count(); i++) {
      int from = offsets.getInt(4L * i);
      int to = offsets.getInt(4L * (i + 1));
      if (to - from > 1 && hasTwins(keys, from, to, equals)) {
        run.bad(
            site,
            slots,
            i,
            Rule.MAP_KEY,
            to - from + " entries",
            "the map in column '" + site.path() + "' has a key more than once");
      }
    }
  }

  private static boolean hasTwins(FieldVector keys, int from, int to, RangeEqualsVisitor equals) {
    // The last key of each hash; keys of one hash that differ are compared pair by pair.
    Map<Integer, Integer> newest = new HashMap<>();
    int[] before = new int[to - from];
    for (int i = from; i < to; i++) {
      Integer twin = keys.isNull(i) ? null : newest.put(keys.hashCode(i), i);
      before[i - from] = twin == null ? -1 : twin;
      for (int k = before[i - from]; k >= 0; k = before[k - from]) {
        if (equals.rangeEquals(new Range(k, i, 1))) {
          return true;
        }
      }
    }
    return false;
  }
}
