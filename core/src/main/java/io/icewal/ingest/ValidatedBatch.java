package io.icewal.ingest;

import io.icewal.model.RowBatch;
import io.icewal.model.Verdict;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What validation made of a batch.
///
/// @param rows the good rows, owned by whoever gets this; null when there are none to store
/// @param bytes the bytes of these rows
/// @param verdicts the bad rows in ascending order, up to a limit
/// @param more verdicts beyond these
record ValidatedBatch(@Nullable RowBatch rows, long bytes, List<Verdict> verdicts, long more) {
  static ValidatedBatch empty() {
    return new ValidatedBatch(null, 0, List.of(), 0);
  }
}
