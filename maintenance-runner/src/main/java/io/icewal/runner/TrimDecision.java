package io.icewal.runner;

import io.icewal.wal.BlockRef;
import io.icewal.wal.TableBlocks;
import io.icewal.wal.TableState;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import java.util.stream.Stream;

/// What a trim round is told about each table that has blocks: its position as this loop knows it,
/// and whether its blocks wait, are parked, or are given up.
final class TrimDecision implements Function<TableBlocks, TableState> {
  /// How long a table must have been seen to be gone, beside the age of its rows.
  private static final Duration GONE_FOR = Duration.ofHours(1);

  private final LogView view;
  private final MaintenancePolicy policy;
  private final Instant now;

  TrimDecision(LogView view, MaintenancePolicy policy, Instant now) {
    this.view = view;
    this.policy = policy;
    this.now = now;
  }

  @Override
  public TableState apply(TableBlocks blocks) {
    TableWork table = view.table(blocks.tableId(), blocks.tableName());
    long position = table.isPositionKnown() ? table.position() : blocks.remembered();
    if (isOldAndGone(table, blocks)) {
      return TableState.drop(position);
    }
    boolean holdsBack = blocks.heldBack(position) > policy.trim().holdBackMax();
    return holdsBack || table.isToPark(now, policy)
        ? TableState.park(position)
        : TableState.at(position);
  }

  private boolean isOldAndGone(TableWork table, TableBlocks blocks) {
    Instant gone = table.goneSince();
    if (gone == null || Duration.between(gone, now).compareTo(GONE_FOR) < 0) {
      return false;
    }
    Instant newest =
        Stream.concat(blocks.parked().stream(), blocks.blocks().stream())
            .map(BlockRef::ingestTime)
            .max(Instant::compareTo)
            .orElse(now);
    return Duration.between(newest, now).compareTo(policy.dropAge()) >= 0;
  }
}
