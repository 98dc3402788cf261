package io.icewal.ingest;

import io.icewal.model.LogName;
import io.icewal.model.RowBatch;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.AppendOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.NullUnmarked;

/// A log in memory. It keeps the first column of what it is given, and answers as scripted: by
/// default, every batch is appended.
@NullUnmarked // Nulls are part of what is tested.
final class FakeLog implements LogAppender {
  /// Decides on a group after its batches were noted.
  interface Script {
    List<AppendOutcome> outcomes(long segment, List<AppendBatch> batches);
  }

  private final LogName name;
  final List<List<AppendBatch>> segments = new CopyOnWriteArrayList<>();
  final List<Long> values = Collections.synchronizedList(new ArrayList<>());
  volatile Script script;

  FakeLog(LogName name) {
    this.name = name;
    this.script = this::appended;
  }

  List<AppendOutcome> appended(long segment, List<AppendBatch> batches) {
    List<AppendOutcome> outcomes = new ArrayList<>();
    for (int i = 0; i < batches.size(); i++) {
      outcomes.add(new AppendOutcome.Appended(name.at(segment), i, 0));
    }
    return outcomes;
  }

  @Override
  public List<AppendOutcome> append(List<AppendBatch> batches) {
    segments.add(batches);
    for (AppendBatch batch : batches) {
      RowBatch rows = batch.rows();
      FieldVector first = rows == null ? null : rows.rows().getVector(0);
      for (int i = 0; first instanceof BigIntVector longs && i < rows.rowCount(); i++) {
        values.add(longs.get(i));
      }
    }
    return script.outcomes(segments.size(), batches);
  }
}
