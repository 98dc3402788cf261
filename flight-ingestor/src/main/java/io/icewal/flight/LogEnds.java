package io.icewal.flight;

import io.icewal.model.Position;
import io.icewal.wal.Boundary;
import io.icewal.wal.LogReader;
import io.icewal.wal.SegmentFooter;
import io.icewal.wal.SegmentRun;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/// The end of the log that a table belongs to: where a table that is made or adopted now begins.
/// Thread-safe.
final class LogEnds implements Function<UUID, Position> {
  private final Function<UUID, LogReader> logs;

  /// @param logs the reader of the log that a table belongs to
  LogEnds(Function<UUID, LogReader> logs) {
    this.logs = logs;
  }

  /// Nothing of a table that is made now lies before it.
  @Override
  public Position apply(UUID table) {
    LogReader log = logs.apply(table);
    return log.log().at(log.read(log.newestBoundary().number()).end());
  }

  /// How many rows the log has of a table after a position, parked ones too.
  long rowsAfter(UUID table, Position position) {
    LogReader log = logs.apply(table);
    if (!log.log().equals(position.log())) {
      return 0;
    }
    Boundary boundary = log.newestBoundary();
    SegmentRun run = log.read(boundary.number());
    return Stream.concat(
            log.summary(boundary).parked().stream(),
            run.segments().stream().map(SegmentFooter::blocks).flatMap(blocks -> blocks.stream()))
        .filter(block -> block.header().tableId().equals(table))
        .filter(block -> block.number() > position.number())
        .mapToLong(block -> block.rows())
        .sum();
  }
}
