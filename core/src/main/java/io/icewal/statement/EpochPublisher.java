package io.icewal.statement;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.statement.StatementPublisher.Content;
import io.icewal.wal.EpochMarks;
import io.icewal.wal.EpochMarks.Mark;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/// Appends the epochs of streams to the log, each of them once, across restarts of whoever
/// publishes and of whatever length. One for a process; thread-safe.
///
/// 1. The newest epoch of the stream in the table is looked up ([EpochMarks]). An earlier one, or
///    one that is known to be published, is done.
/// 2. The epoch is marked as begun, published by one append that has its name, and marked as
///    published.
/// 3. An epoch that was begun and is not known to be published may be in the log or not: the append
///    itself finds out, if the log still remembers. If not, it is refused: only people can tell.
public final class EpochPublisher {
  /// What to do with an epoch of which nobody knows whether it was published.
  public enum Unknown {
    /// Fails.
    REFUSE,
    /// Somebody has looked: it was not.
    APPEND,
    /// Somebody has looked: it was.
    SKIP
  }

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
      Unknown unknown) {
    if (rows.isEmpty() && content == Content.MORE_ROWS) {
      return;
    }
    EpochMarks known = marks.apply(table.readPosition().log());
    Optional<Mark> mark = known.find(table.tableId(), stream);
    boolean isBegun = mark.isPresent() && mark.get().epoch() == epoch;
    if (mark.isPresent() && (mark.get().epoch() > epoch || (isBegun && mark.get().isPublished()))) {
      return;
    }
    boolean isInDoubt = isBegun && !known.isRemembered(mark.get());
    if (isInDoubt && unknown == Unknown.REFUSE) {
      throw refusal(table, stream, mark.get(), known);
    }
    if (!isInDoubt || unknown == Unknown.APPEND) {
      if (!isBegun || isInDoubt) {
        known.begin(table.tableId(), stream, epoch);
      }
      statements.epoch(table, stream, epoch, content, rows);
    }
    known.published(table.tableId(), stream, epoch);
  }

  private static IcewalException refusal(
      StatementTable table, UUID stream, Mark mark, EpochMarks known) {
    return new IcewalException(
        ErrorKind.UNKNOWN,
        "whether epoch "
            + mark.epoch()
            + " of stream "
            + stream
            + " is in table "
            + table.name()
            + " is not known: it was being published at "
            + mark.time()
            + ", and the log has forgotten what it got then. Look in the table; then go on with"
            + " unknownEpoch = skip:"
            + mark.epoch()
            + " if its rows are there, append:"
            + mark.epoch()
            + " if not. The mark is "
            + known.key(table.tableId(), stream));
  }
}
