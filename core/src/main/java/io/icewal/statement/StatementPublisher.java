package io.icewal.statement;

import io.icewal.merge.KeyColumns;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.model.ProducerSequence;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.AppendOutcome;
import io.icewal.wal.EarlierAttempts;
import io.icewal.wal.LogReader;
import io.icewal.wal.WalWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/// Appends what statements wrote to the log. One for a process; thread-safe: one statement of a log
/// after the other, for a log has one writer a process.
///
/// Blocks are named by the statement and their number in it, so that trying again after an unknown
/// outcome stores nothing twice.
public final class StatementPublisher {
  private static final int TRIES_MAX = 3;

  /// What the rows of an epoch are.
  public enum Content {
    /// More rows.
    MORE_ROWS,
    /// All that the table has from then on.
    ALL_ROWS
  }

  private final String engine;
  private final Function<LogName, WalWriter> newWriter;
  private final Function<LogName, LogReader> readers;
  private final BufferAllocator allocator;
  private final Map<LogName, WalWriter> writers = new ConcurrentHashMap<>();

  /// @param engine comes before the ids of its statements
  /// @param newWriter makes a writer of a log
  /// @param readers gives the reader of a log
  /// @param allocator for keys of others' rows
  public StatementPublisher(
      String engine,
      Function<LogName, WalWriter> newWriter,
      Function<LogName, LogReader> readers,
      BufferAllocator allocator) {
    this.engine = engine;
    this.newWriter = newWriter;
    this.readers = readers;
    this.allocator = allocator;
  }

  /// Publishes rows of a statement that has not read the table.
  ///
  /// @throws IcewalException UNKNOWN if the store did not say whether it took them
  public void insert(StatementTable table, String statement, Collection<StagedRows> rows) {
    publish(table, staged(statement, rows, 0), WalWriter::append);
  }

  /// Publishes rows that take the place of all that the table has when they are stored.
  ///
  /// @throws IcewalException as [#insert]
  public void overwrite(StatementTable table, String statement, Collection<StagedRows> rows) {
    List<AppendBatch> batches = new ArrayList<>();
    batches.add(noRows(table, BlockKind.TRUNCATE, statement));
    batches.addAll(staged(statement, rows, 1));
    publish(table, batches, WalWriter::append);
  }

  /// Publishes a statement that has read before: all its deletions, then all its rows.
  ///
  /// @throws IcewalException as [#insert]; and CONFLICT if keys of it were written since
  public void change(StatementTable table, String statement, Collection<StagedRows> rows) {
    List<StagedRows> ordered =
        rows.stream().sorted(Comparator.comparing(staged -> !staged.deletes())).toList();
    StatementKeys keys =
        new StatementKeys(
            ordered.stream().map(StagedRows::keys).toList(),
            KeyColumns.of(table.schema()),
            readers.apply(table.readPosition().log()),
            allocator);
    publish(
        table,
        staged(statement, ordered, 0),
        (writer, batches) -> writer.appendIf(batches, keys, table.readPosition()));
  }

  /// Removes every row that the table has when this is stored.
  ///
  /// @throws IcewalException as [#insert]
  public void truncate(StatementTable table, String statement) {
    publish(table, List.of(noRows(table, BlockKind.TRUNCATE, statement)), WalWriter::append);
  }

  /// Publishes an epoch of a stream: once, however often and with however many blocks it is tried,
  /// as long as the log remembers the stream.
  ///
  /// @param earlier what is known of the tries before
  /// @throws IcewalException as [#insert]; and UNKNOWN if the log may have forgotten the epoch
  void epoch(
      StatementTable table,
      UUID stream,
      long epoch,
      Content content,
      Collection<StagedRows> rows,
      EarlierAttempts earlier) {
    ProducerSequence name = new ProducerSequence(producer("stream/" + stream), epoch);
    List<AppendBatch> batches = new ArrayList<>();
    if (content == Content.ALL_ROWS) {
      batches.add(AppendBatch.ofNoRows(table.header(BlockKind.TRUNCATE), name));
    }
    for (StagedRows staged : rows) {
      batches.add(AppendBatch.ofStaged(batches.isEmpty() ? name : null, staged.block()));
    }
    publish(table, batches, (writer, all) -> writer.appendOnce(all, earlier));
  }

  /// Makes a table due for materialization now.
  ///
  /// @return the position that it has reached once everything before this is materialized
  public Position flush(StatementTable table, String statement) {
    List<AppendBatch> batches = List.of(noRows(table, BlockKind.FLUSH, statement));
    return append(table, writer -> writer.append(batches));
  }

  private AppendBatch noRows(StatementTable table, BlockKind kind, String statement) {
    return AppendBatch.ofNoRows(table.header(kind), new ProducerSequence(producer(statement), 0));
  }

  private List<AppendBatch> staged(
      String statement, Collection<StagedRows> rows, int firstSequence) {
    List<AppendBatch> batches = new ArrayList<>();
    for (StagedRows staged : rows) {
      batches.add(
          AppendBatch.ofStaged(
              new ProducerSequence(producer(statement), firstSequence + batches.size()),
              staged.block()));
    }
    return batches;
  }

  private String producer(String statement) {
    return engine + "/" + statement;
  }

  /// One append of batches.
  private interface Append {
    List<AppendOutcome> to(WalWriter writer, List<AppendBatch> batches);
  }

  private void publish(StatementTable table, List<AppendBatch> batches, Append append) {
    if (!batches.isEmpty()) {
      append(table, writer -> append.to(writer, batches));
    }
  }

  /// @return a position at which all is in the log
  private Position append(StatementTable table, Function<WalWriter, List<AppendOutcome>> append) {
    WalWriter writer = writers.computeIfAbsent(table.readPosition().log(), newWriter);
    synchronized (writer) {
      return append(writer, append);
    }
  }

  private static Position append(
      WalWriter writer, Function<WalWriter, List<AppendOutcome>> append) {
    IcewalException error = null;
    for (int i = 0; i < TRIES_MAX; i++) {
      List<AppendOutcome> outcomes = again(append, writer, error);
      error = errorOf(outcomes);
      if (error == null) {
        return endOf(outcomes);
      }
    }
    throw error;
  }

  /// @param unknown outcome of the try before; null for the first try
  private static List<AppendOutcome> again(
      Function<WalWriter, List<AppendOutcome>> append,
      WalWriter writer,
      @Nullable IcewalException unknown) {
    try {
      return append.apply(writer);
    } catch (IcewalException e) {
      // That nothing was stored is said of this try alone. A conflict is another block in the slot
      // that the try before was for.
      if (unknown == null || e.kind() == ErrorKind.CONFLICT) {
        throw e;
      }
      unknown.addSuppressed(e);
      throw unknown;
    }
  }

  /// Why the outcome of a batch is not known; null if all are in the log.
  private static @Nullable IcewalException errorOf(List<AppendOutcome> outcomes) {
    for (AppendOutcome outcome : outcomes) {
      if (outcome instanceof AppendOutcome.Refused refused) {
        throw refused.error();
      }
      if (outcome instanceof AppendOutcome.Unknown unknown) {
        return unknown.error();
      }
    }
    return null;
  }

  /// A position at which all of some batches are in the log. The writer's own end may be unknown by
  /// now.
  private static Position endOf(List<AppendOutcome> outcomes) {
    return outcomes.stream()
        .map(
            outcome ->
                outcome instanceof AppendOutcome.Appended appended
                    ? appended.position()
                    : ((AppendOutcome.Repeat) outcome).knownEnd())
        .max(Comparator.comparingLong(Position::number))
        .orElseThrow();
  }
}
