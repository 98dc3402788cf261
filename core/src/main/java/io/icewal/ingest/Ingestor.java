package io.icewal.ingest;

import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.model.ProducerSequence;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.BlockHeader;
import io.icewal.wal.LogRoot;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.catalog.TableIdentifier;

/// The front of ingestion: opens streams of batches into tables.
///
/// Thread-safe. Starts no thread: the owner of the [GroupCommit]s drives them, and whoever submits
/// a batch does the work of validating it.
public final class Ingestor {
  private final LogRoot root;
  private final Map<LogName, GroupCommit> commits;
  private final TableSchemas tables;
  private final IngestLimits limits;
  private final BufferAllocator allocator;
  private final ByteBudget budget;
  private volatile boolean draining;

  /// @param commits one for each log of the root
  /// @param allocator what converted rows live in. It must share its root allocator with the
  ///   batches that come in, else columns are copied that need not be
  public Ingestor(
      LogRoot root,
      Map<LogName, GroupCommit> commits,
      TableSchemas tables,
      IngestLimits limits,
      BufferAllocator allocator) {
    this.root = root;
    this.commits = Map.copyOf(commits);
    this.tables = tables;
    this.limits = limits;
    this.allocator = allocator;
    this.budget = new ByteBudget(limits.pendingBytesMax());
  }

  /// Opens a stream of batches of one Arrow schema into a table.
  ///
  /// @param arrowSchema the schema of every batch to come, as Arrow holds it in memory
  ///   (dictionary-encoded fields have their index type)
  /// @param dictionaries knows the dictionaries of these fields; they may still be empty
  /// @throws IcewalException INVALID if the table cannot take such a stream; the exception's
  ///   verdicts name the columns. UNAVAILABLE if the table cannot be looked up now
  public IngestStream open(
      TableIdentifier table,
      StreamOptions options,
      Schema arrowSchema,
      DictionaryProvider dictionaries) {
    checkOpen();
    String producer = options.producer();
    if (producer != null && !ProducerSequence.isProducer(producer)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "producer id must have 1 to "
              + ProducerSequence.PRODUCER_CHARS_MAX
              + " characters of well-formed text, has "
              + producer.length());
    }
    IngestTable found = tables.current(table);
    RowPlan plan = RowPlan.of(found, options.op(), arrowSchema, dictionaries);
    return new IngestStream(this, options, arrowSchema, found, plan);
  }

  /// Appends a flush block for the table: it is due for materialization now.
  ///
  /// @return the block's position: once the table's position has reached it, everything that was
  ///   acknowledged before is materialized
  public CompletableFuture<Position> flush(TableIdentifier table) {
    return appendMark(table, BlockKind.FLUSH);
  }

  /// Appends a truncate block for the table: all its rows so far are gone.
  public CompletableFuture<Position> truncate(TableIdentifier table) {
    return appendMark(table, BlockKind.TRUNCATE);
  }

  /// Takes no further stream or batch, and makes all pending ones due at once. The owner goes on
  /// stepping the group commits until [#isDrained].
  public void drain() {
    draining = true;
    commits.values().forEach(GroupCommit::drain);
  }

  /// Whether every batch taken has been answered.
  public boolean isDrained() {
    return draining && commits.values().stream().allMatch(GroupCommit::isDrained);
  }

  /// Bytes admitted now, over all streams: from a batch's validation to its answer.
  public long pendingBytes() {
    return budget.usedBytes();
  }

  public IngestLimits limits() {
    return limits;
  }

  TableSchemas tables() {
    return tables;
  }

  BufferAllocator allocator() {
    return allocator;
  }

  ByteBudget budget() {
    return budget;
  }

  /// The group commit of the log that the table belongs to.
  GroupCommit commitOf(UUID tableId) {
    LogName log = root.logOf(tableId);
    GroupCommit commit = commits.get(log);
    if (commit == null) {
      throw new IllegalStateException("no group commit for log " + log);
    }
    return commit;
  }

  /// @throws IcewalException UNAVAILABLE when draining
  void checkOpen() {
    if (draining) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE,
          "this ingestor is shutting down; send the batch again to another one");
    }
  }

  private CompletableFuture<Position> appendMark(TableIdentifier name, BlockKind kind) {
    checkOpen();
    IngestTable table = tables.current(name);
    BlockHeader header =
        new BlockHeader(
            table.id(),
            name.toString(),
            table.schema().schemaId(),
            table.lastColumnId(),
            RowPlan.keySchema(table),
            kind);
    PendingBatch mark =
        new PendingBatch(new AppendBatch(header, null, null, null), 0, new StreamState(), () -> {});
    commitOf(table.id()).offer(mark);
    return mark.answer();
  }
}
