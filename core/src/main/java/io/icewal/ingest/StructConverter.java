package io.icewal.ingest;

import java.util.BitSet;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;

/// Structs, field by field. Where the struct is null its fields are null too, whatever the input's
/// children hold there.
final class StructConverter implements ColumnConverter {
  private final Site site;
  private final List<PlannedColumn> children;

  /// @param children one for each field of the table's struct, in its order
  StructConverter(Site site, List<PlannedColumn> children) {
    this.site = site;
    this.children = List.copyOf(children);
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    NullMap nulls = NullMap.of(in, slots, site, run);
    run.checkNulls(site, slots, nulls);
    try (ArrowBuf validity = nulls.toBuffer(run)) {
      run.load(out, slots.count(), nulls.nullCount(), List.of(validity));
    }
    run.chargeHeap(nulls.nullCount() == 0 ? 0 : 4L * slots.count());
    Slots inner = slots.maskNulls(nulls);
    BitSet deletes = run.deletes();
    Slots innerRest =
        site.key() && deletes != null && !deletes.isEmpty() ? inner.maskRows(deletes) : inner;
    List<FieldVector> inputs = in.getChildrenFromFields();
    List<FieldVector> outputs = out.getChildrenFromFields();
    for (int i = 0; i < children.size(); i++) {
      PlannedColumn child = children.get(i);
      child.convert(inputs, child.key() ? inner : innerRest, outputs.get(i), run);
    }
  }
}
