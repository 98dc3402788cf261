package io.icewal.ingest;

import io.icewal.model.PartitionRanges;
import io.icewal.model.Rule;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.vector.FieldVector;

/// Refuses rows that the table's partition spec has no partition for. Rows that delete are not
/// written anywhere, so every key may be deleted. Immutable.
final class PartitionCheck {
  private final PartitionRanges ranges;

  PartitionCheck(IngestTable table) {
    ranges = PartitionRanges.of(table.spec(), table.schema());
  }

  /// @param outputs converted columns; one that is not there is null in every row
  void check(List<FieldVector> outputs, Slots slots, Conversion run) {
    BitSet deletes = run.deletes();
    ranges.check(
        outputs,
        slots.count(),
        (source, vector, i) -> {
          if (deletes == null || !deletes.get(slots.row(i))) {
            run.bad(
                new Site(source.name(), source.type(), Site.Presence.OPTIONAL, false),
                slots,
                i,
                Rule.PARTITION,
                slot -> PartitionRanges.text(vector, slot),
                source.range().message());
          }
        });
  }
}
