package io.icewal.trino.write;

import io.airlift.slice.Slice;
import io.icewal.merge.KeyColumns;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.model.ProducerSequence;
import io.icewal.table.TablePosition;
import io.icewal.trino.services.Warehouse;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.AppendOutcome;
import io.icewal.wal.Pause;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WriterLimits;
import io.trino.spi.connector.SchemaTableName;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// Appends what statements wrote to the log. One for a coordinator; thread-safe: one statement of a
/// log after the other, for a log has one writer a process.
///
/// Blocks are named by the query and their number in it, so that trying again after an unknown
/// outcome stores nothing twice.
public final class Publisher {
  private static final int TRIES_MAX = 3;

  private final Warehouse warehouse;
  private final Map<LogName, WalWriter> writers = new ConcurrentHashMap<>();

  public Publisher(Warehouse warehouse) {
    this.warehouse = warehouse;
  }

  /// Publishes an INSERT.
  public void insert(LogTable table, String queryId, Collection<Slice> fragments) {
    List<Fragment> written = fragments.stream().map(Fragment::fromSlice).toList();
    publish(table, queryId, written, (writer, batches) -> writer.append(batches));
  }

  /// Publishes a statement that has read before: all its deletes, then all its rows.
  ///
  /// @throws io.trino.spi.TrinoException TRANSACTION_CONFLICT if keys of it were written since
  public void merge(LogTable table, String queryId, Collection<Slice> fragments) {
    List<Fragment> written =
        fragments.stream()
            .map(Fragment::fromSlice)
            .sorted(
                Comparator.comparing(
                    fragment -> fragment.block().header().kind() != BlockKind.DELETE))
            .toList();
    StatementKeys keys =
        new StatementKeys(
            written.stream().map(Fragment::keys).toList(),
            KeyColumns.of(table.schema()),
            warehouse.reader(table.readPosition().log()),
            warehouse.allocator());
    publish(
        table,
        queryId,
        written,
        (writer, batches) -> writer.appendIf(batches, keys, table.readPosition()));
  }

  /// Removes every row that the table has when this is stored.
  public void truncate(LogTable table, String queryId) {
    AppendBatch batch =
        AppendBatch.ofNoRows(
            table.header(BlockKind.TRUNCATE), new ProducerSequence(producer(queryId), 0));
    WriteErrors.translating(() -> append(table, writer -> writer.append(List.of(batch))));
  }

  /// Makes a table due for materialization now.
  ///
  /// @return the position that it has reached once everything before this is materialized
  /// @throws IcewalException INVALID for a table that is not icewal's
  public Position flush(Table table, TableIdentifier name, String queryId) {
    Position position =
        TablePosition.valid(table)
            .map(TablePosition::position)
            .orElseThrow(
                () -> new IcewalException(ErrorKind.INVALID, "table " + name + " is not icewal's"));
    LogTable logTable =
        LogTable.of(new SchemaTableName(name.namespace().toString(), name.name()), table, position);
    AppendBatch batch =
        AppendBatch.ofNoRows(
            logTable.header(BlockKind.FLUSH), new ProducerSequence(producer(queryId), 0));
    return append(logTable, writer -> writer.append(List.of(batch)));
  }

  /// One append of batches.
  private interface Append {
    List<AppendOutcome> to(WalWriter writer, List<AppendBatch> batches);
  }

  private void publish(LogTable table, String queryId, List<Fragment> written, Append append) {
    List<AppendBatch> batches = new ArrayList<>();
    for (Fragment fragment : written) {
      batches.add(
          AppendBatch.ofStaged(
              new ProducerSequence(producer(queryId), batches.size()), fragment.block()));
    }
    if (!batches.isEmpty()) {
      WriteErrors.translating(() -> append(table, writer -> append.to(writer, batches)));
    }
  }

  private static String producer(String queryId) {
    return "trino/" + queryId;
  }

  /// @return a position at which all is in the log
  private Position append(LogTable table, Function<WalWriter, List<AppendOutcome>> append) {
    WalWriter writer = writers.computeIfAbsent(table.readPosition().log(), this::newWriter);
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
      // That nothing was stored is said of this try alone. A conflict is certain: what the try
      // before was for is not in the log.
      if (unknown == null || e.kind() == ErrorKind.CONFLICT) {
        throw e;
      }
      unknown.addSuppressed(e);
      throw unknown;
    }
  }

  /// A position at which all of some batches are in the log. The writer's own end may be unknown by
  /// now.
  private static Position endOf(List<AppendOutcome> outcomes) {
    return outcomes.stream()
        .map(
            outcome ->
                switch (outcome) {
                  case AppendOutcome.Appended appended -> appended.position();
                  case AppendOutcome.Repeat repeat -> repeat.knownEnd();
                  case AppendOutcome.Refused refused -> throw refused.error();
                  case AppendOutcome.Unknown unknown -> throw unknown.error();
                })
        .max(Comparator.comparingLong(Position::number))
        .orElseThrow();
  }

  private WalWriter newWriter(LogName log) {
    return new WalWriter(
        warehouse.root(),
        log,
        warehouse.random(),
        Clock.systemUTC(),
        /* flightAddress= */ null,
        WriterLimits.DEFAULTS,
        warehouse.executor(),
        Pause.REAL);
  }

  /// Why the outcome of a batch is not known; null if all are in the log.
  private static @Nullable IcewalException errorOf(List<AppendOutcome> outcomes) {
    for (AppendOutcome outcome : outcomes) {
      switch (outcome) {
        case AppendOutcome.Refused refused -> throw refused.error();
        case AppendOutcome.Unknown unknown -> {
          return unknown.error();
        }
        case AppendOutcome.Appended ignored -> {}
        case AppendOutcome.Repeat ignored -> {}
      }
    }
    return null;
  }
}
