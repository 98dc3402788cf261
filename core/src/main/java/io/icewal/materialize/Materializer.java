package io.icewal.materialize;

import io.icewal.materialize.MaterializeResult.Status;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.parquet.KeyPageCache;
import io.icewal.table.FixedTable;
import io.icewal.table.IcewalTables;
import io.icewal.table.ManifestCache;
import io.icewal.table.TableCommit;
import io.icewal.table.TablePosition;
import io.icewal.tail.TableAt;
import io.icewal.tail.Tail;
import io.icewal.tail.TailOf;
import io.icewal.tail.TailReader;
import io.icewal.wal.BlockRef;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// Takes tables forward along their logs.
///
/// One [#step] is one cycle of one table:
/// 1. Read the tail: boundary noted, table loaded, blocks after its position, boundary looked at
///    again.
/// 2. Take whole segments from its beginning, as many as the executor's bounds allow, at least one.
/// 3. Newest row per key; old rows of these keys; delta files; deletion vectors.
/// 4. One commit of all that and the position; after a conflict old rows are looked for again.
///
/// Any number of materializers may work on one table: the commit lets one through. Used by one
/// thread at a time; keeps caches between steps, never truth.
public final class Materializer {
  private final IcewalTables tables;
  private final TailReader tails;
  private final PartServices services;
  private final PartExecutor executor;
  private final RandomGenerator random;
  private final CommitFactory commits;

  /// Makes the commit of a cycle: the product's own, or a test's with a guard switched off.
  interface CommitFactory {
    TableCommit of(Table table, TablePosition expected);
  }

  public Materializer(
      IcewalTables tables,
      TailReader tails,
      MaterializeConfig config,
      BufferAllocator allocator,
      RandomGenerator random) {
    this(tables, tails, config, allocator, random, TableCommit::new);
  }

  Materializer(
      IcewalTables tables,
      TailReader tails,
      MaterializeConfig config,
      BufferAllocator allocator,
      RandomGenerator random,
      CommitFactory commits) {
    this(tables, tails, services(config, allocator), null, random, commits);
  }

  /// @param executor works on cycles
  public Materializer(
      IcewalTables tables,
      TailReader tails,
      PartServices services,
      PartExecutor executor,
      RandomGenerator random) {
    this(tables, tails, services, executor, random, TableCommit::new);
  }

  Materializer(
      IcewalTables tables,
      TailReader tails,
      PartServices services,
      @Nullable PartExecutor executor,
      RandomGenerator random,
      CommitFactory commits) {
    this.tables = tables;
    this.tails = tails;
    this.services = services;
    this.executor = executor == null ? new LocalExecutor(services) : executor;
    this.random = random;
    this.commits = commits;
  }

  private static PartServices services(MaterializeConfig config, BufferAllocator allocator) {
    return new PartServices(config, allocator, new ManifestCache(), new KeyPageCache());
  }

  /// One cycle.
  ///
  /// @param name the table's name now
  /// @param tableId the table's UUID as far as is known
  /// @throws IcewalException as the log, the store, the catalog or the rows themselves demand; the
  ///   table is as it was, or (UNKNOWN) as a whole cycle makes it
  public MaterializeResult step(TableIdentifier name, UUID tableId) {
    TailOf<Table> read = tails.read(tableId, () -> load(name), null);
    Table table = read.table().table();
    Tail tail = read.tail();
    if (tail == null) {
      String why = TablePosition.whyReplaced(table);
      return new MaterializeResult(
          Status.REPLACED, table.uuid(), 0, null, false, "table " + name + ": " + why);
    }
    if (tail.blocks().isEmpty()) {
      return new MaterializeResult(Status.NOTHING_TO_DO, table.uuid(), 0, tail.from(), false, "");
    }
    TablePosition expected = TablePosition.read(table).orElseThrow();
    List<BlockRef> blocks = prefix(tail);
    boolean more = blocks.size() < tail.blocks().size();
    Position next = more ? blocks.get(blocks.size() - 1).position() : tail.end();
    CyclePlan plan =
        new CyclePlan(
            FixedTable.of(table),
            tail.reader(),
            blocks,
            new UUID(random.nextLong(), random.nextLong()).toString());
    Cycle cycle =
        new Cycle(
            new Cycle.Services(tables, commits, services, executor),
            name,
            table.uuid(),
            plan.name());
    return cycle.run(plan, table, expected, next, more);
  }

  private TableAt<Table> load(TableIdentifier name) {
    Table table = tables.load(name);
    Position position = TablePosition.valid(table).map(TablePosition::position).orElse(null);
    return TableAt.of(table, position);
  }

  /// The blocks of the first segments of the tail, at least of one, that fit the executor's bounds.
  private List<BlockRef> prefix(Tail tail) {
    List<BlockRef> blocks = tail.blocks();
    long bytes = 0;
    long rows = 0;
    int taken = 0;
    int segmentStart = 0;
    while (segmentStart < blocks.size()) {
      int segmentEnd = segmentStart;
      long segmentBytes = 0;
      long segmentRows = 0;
      while (segmentEnd < blocks.size()
          && blocks.get(segmentEnd).number() == blocks.get(segmentStart).number()) {
        segmentBytes += blocks.get(segmentEnd).rawBytes();
        segmentRows += blocks.get(segmentEnd).rows();
        segmentEnd++;
      }
      bytes += segmentBytes;
      rows += segmentRows;
      if (taken > 0 && (bytes > executor.cycleBytesMax() || rows > executor.cycleRowsMax())) {
        break;
      }
      taken = segmentEnd;
      segmentStart = segmentEnd;
    }
    return blocks.subList(0, taken);
  }
}
