package io.icewal.statement;

import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.statement.StatementPublisher.Content;
import io.icewal.wal.EarlierAttempts;
import io.icewal.wal.EarlierAttempts.IfForgotten;
import io.icewal.wal.EpochMarks;
import io.icewal.wal.EpochMarks.Mark;
import java.util.Collection;
import java.util.UUID;
import java.util.function.Function;

/// Appends the epochs of streams to the log, each of them once, across restarts of whoever
/// publishes and of whatever length. One for a process; thread-safe.
///
/// 1. The epoch is marked as begun, once for all tries, and the newest epoch of the stream in the
///    table is looked up ([EpochMarks]). If that is a later one, or this one and published, it is
///    done.
/// 2. It is published by one append that has its name. If it is in the log already, the append
///    finds it; if not, and the log may have forgotten it since it was begun, it is refused: only
///    people can tell.
/// 3. It is marked as published.
public final class EpochPublisher {
  private final StatementPublisher statements;
  private final Function<LogName, EpochMarks> marks;

  /// @param marks gives the marks of a log
  public EpochPublisher(StatementPublisher statements, Function<LogName, EpochMarks> marks) {
    this.statements = statements;
    this.marks = marks;
  }

  /// Publishes one epoch, if it is not published yet. With neither rows nor anything to remove it
  /// does nothing.
  ///
  /// @param stream names the stream for ever
  /// @param epoch rises from one epoch to the next
  /// @throws IcewalException UNKNOWN if the store did not say whether it took them, or if that was
  ///   so long ago that the log cannot tell any more
  public void publish(
      StatementTable table,
      UUID stream,
      long epoch,
      Content content,
      Collection<StagedRows> rows,
      IfForgotten ifForgotten) {
    if (rows.isEmpty() && content == Content.MORE_ROWS) {
      return;
    }
    EpochMarks known = marks.apply(table.readPosition().log());
    Mark newest = known.begin(table.tableId(), stream, epoch);
    if (newest.epoch() > epoch || newest.isPublished()) {
      return;
    }
    EarlierAttempts earlier =
        new EarlierAttempts(
            newest.begun(), ifForgotten, advice(epoch, known.place(table.tableId(), stream)));
    statements.epoch(table, stream, epoch, content, rows, earlier);
    known.published(table.tableId(), stream, epoch);
  }

  private static String advice(long epoch, String place) {
    return "Look in the table; then go on with unknownEpoch = skip:"
        + epoch
        + " if the epoch's rows are there, append:"
        + epoch
        + " if not. Its marks are in "
        + place;
  }
}
