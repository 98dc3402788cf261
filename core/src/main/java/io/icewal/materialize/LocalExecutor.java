package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.wal.BlockRef;
import java.util.List;
import org.apache.iceberg.Table;

/// Works on cycles in this process: each is one part, in bounded memory.
public final class LocalExecutor implements PartExecutor {
  private final PartServices services;

  public LocalExecutor(PartServices services) {
    this.services = services;
  }

  @Override
  public long cycleBytesMax() {
    return services.config().cycleBytesMax();
  }

  /// Its bytes bound what a cycle takes.
  @Override
  public long cycleRowsMax() {
    return Long.MAX_VALUE;
  }

  @Override
  public Parts begin(CyclePlan plan) {
    PartWork work = new PartWork(plan.table(), plan.log(), services);
    KeyColumns key = plan.key();
    if (key.isEmpty()) {
      return new Appended(work, plan.groups(services.config().cycleBytesMax()));
    }
    return new Sorted(
        work,
        SortedTail.read(services, plan.table().schema(), key, plan.log(), plan.sinceTruncation()));
  }

  private record Appended(PartWork work, List<List<BlockRef>> groups) implements Parts {
    @Override
    public List<PartResult> run(PartTask task, Table now) {
      return List.of(work.append(groups, task.name()));
    }

    @Override
    public void close() {}
  }

  private record Sorted(PartWork work, SortedRows rows) implements Parts {
    @Override
    public List<PartResult> run(PartTask task, Table now) {
      rows.rewind();
      return List.of(work.upsert(rows, task, now, task.name()));
    }

    @Override
    public void close() {
      rows.close();
    }
  }
}
