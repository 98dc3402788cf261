package io.icewal.tail;

import static io.icewal.model.BlockKind.DELETE;
import static io.icewal.model.BlockKind.FLUSH;
import static io.icewal.model.BlockKind.TRUNCATE;
import static io.icewal.model.BlockKind.UPSERT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.Survivors;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.model.RowBatch;
import io.icewal.parquet.ArrowRecords;
import io.icewal.storage.ByteRange;
import io.icewal.storage.CountingObjectStore;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.storage.StoreOp;
import io.icewal.wal.AcceptedLoss;
import io.icewal.wal.AppendBatch;
import io.icewal.wal.AppendOutcome;
import io.icewal.wal.BlockHeader;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Pause;
import io.icewal.wal.ReaderLimits;
import io.icewal.wal.TableState;
import io.icewal.wal.TrimLimits;
import io.icewal.wal.WalTrimmer;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WriterLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TailReaderTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));
  private static final UUID TABLE = new UUID(1, 1);
  private static final UUID OTHER = new UUID(2, 2);
  private static final TailLimits LIMITS = new TailLimits(4, Duration.ofMillis(50), 3, 1 << 20);

  private final SplittableRandom random = new SplittableRandom(5);
  private final CountingObjectStore store =
      new CountingObjectStore(new MemoryObjectStore(() -> Instant.EPOCH));
  private final BufferAllocator allocator = new RootAllocator();
  private final LogRoot root = LogRoot.openOrCreate(store, 1, random);
  private final LogName log = root.log(0);
  private final WalWriter writer =
      new WalWriter(
          root,
          log,
          random,
          () -> Instant.EPOCH,
          null,
          WriterLimits.DEFAULTS,
          Runnable::run,
          duration -> {});
  private Runnable onPause = () -> {};
  private final TailReader tails = tails(duration -> onPause.run());

  @AfterEach
  void everyBufferIsFree() {
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  private TailReader tails(Pause pause) {
    LogReader reader = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);
    return new TailReader(root, name -> reader, LIMITS, pause);
  }

  private long append(UUID table, BlockKind kind, long... ids) {
    List<Record> records = new ArrayList<>();
    for (long id : ids) {
      Record record = GenericRecord.create(SCHEMA);
      record.set(0, id);
      records.add(record);
    }
    BlockHeader header = new BlockHeader(table, "ns.t", 0, 2, SCHEMA, kind);
    if (!header.hasRows()) {
      return number(writer.append(List.of(AppendBatch.ofNoRows(header, null))).get(0));
    }
    try (RowBatch rows =
        new RowBatch(kind, ArrowRecords.toArrow(SCHEMA, records, allocator), null)) {
      return number(writer.append(List.of(AppendBatch.ofRows(header, null, rows))).get(0));
    }
  }

  private static long number(AppendOutcome outcome) {
    return ((AppendOutcome.Appended) outcome).position().number();
  }

  private void trim(Map<UUID, TableState> tables) {
    new WalTrimmer(root, log, random, TrimLimits.DEFAULTS, Runnable::run)
        .trim(blocks -> tables.getOrDefault(blocks.tableId(), TableState.keep()));
  }

  private Tail read(long position) {
    return tails.read(TABLE, () -> at(position), null).tail();
  }

  private TableAt<String> at(long position) {
    return at(TABLE, log.at(position));
  }

  private static TableAt<String> at(UUID table, @Nullable Position position) {
    return new TableAt<>("t", table, position, 0, 2);
  }

  private static List<Long> numbers(Tail tail) {
    return tail.blocks().stream().map(BlockRef::number).toList();
  }

  @Test
  void aTailHasTheTablesBlocksAfterItsPosition() {
    append(TABLE, BlockKind.UPSERT, 1);
    append(OTHER, BlockKind.UPSERT, 1);
    append(TABLE, BlockKind.UPSERT, 2, 3);

    Tail tail = read(1);
    assertThat(numbers(tail)).containsExactly(3L);
    assertThat(tail.end().number()).isEqualTo(3);
    assertThat(tail.rows()).isEqualTo(2);
    assertThat(tail.oldest()).contains(Instant.EPOCH);
    assertThat(numbers(read(0))).containsExactly(1L, 3L);
    assertThat(read(0).upTo(2).blocks()).hasSize(1);
    assertThat(read(3).blocks()).isEmpty();
    assertThat(tails.read(TABLE, () -> at(TABLE, null), null).tail()).isNull();
  }

  @Test
  void parkedBlocksComeFirstAndKeepTheirOrder() {
    append(TABLE, BlockKind.UPSERT, 1);
    append(TABLE, BlockKind.UPSERT, 2);
    trim(Map.of(TABLE, TableState.park(1)));
    append(TABLE, BlockKind.UPSERT, 3);

    Tail tail = read(1);
    assertThat(numbers(tail)).containsExactly(2L, 3L);
    assertThat(tail.parkedBlocks()).isEqualTo(1);
    assertThat(index(tail).keys().size()).isEqualTo(2);
  }

  @Test
  void theNewestRowOfEachKeyIsFoundOverDeletesAndTruncations() {
    append(TABLE, BlockKind.UPSERT, 1, 2, 2);
    append(TABLE, BlockKind.TRUNCATE);
    append(TABLE, BlockKind.UPSERT, 5, 6);
    append(TABLE, BlockKind.DELETE, 6, 7);
    append(TABLE, BlockKind.FLUSH);

    Survivors survivors = index(read(0));
    assertThat(survivors.truncated()).isTrue();
    assertThat(survivors.size()).isEqualTo(3);
    assertThat(survivors.upserts()).isEqualTo(1);
  }

  @Test
  void keysOfBlocksThatWereReadBeforeAreNotReadAgain() {
    append(TABLE, BlockKind.UPSERT, 1, 2);
    append(TABLE, BlockKind.UPSERT, 3);
    index(read(0));
    store.reset();

    index(read(0));
    assertThat(store.counts())
        .as("boundary before and after, one list; nothing of the segments")
        .isEqualTo(Map.of(StoreOp.GET, 2, StoreOp.LIST, 1));
  }

  @Test
  void anIndexThatGrowsWithItsTailIsTheOneThatIsMadeAnew() {
    BlockKind[] kinds = {UPSERT, UPSERT, UPSERT, DELETE, DELETE, TRUNCATE, FLUSH};
    for (int i = 0; i < 60; i++) {
      BlockKind kind = kinds[random.nextInt(kinds.length)];
      append(TABLE, kind, kind == UPSERT || kind == DELETE ? ids() : new long[0]);
      Tail tail = read(0);
      Tail other = tails(duration -> {}).read(TABLE, () -> at(0), null).tail();

      Survivors grown = index(tail);
      Survivors made = index(other);

      assertThat(keys(grown)).isEqualTo(keys(made));
      assertThat(grown.sources()).isEqualTo(made.sources());
      assertThat(grown.rows()).isEqualTo(made.rows());
      assertThat(grown.deletes()).isEqualTo(made.deletes());
      assertThat(grown.reborn()).isEqualTo(made.reborn());
      assertThat(grown.truncated()).isEqualTo(made.truncated());
    }
    assertThat(tails.indexes().bytes()).isPositive();
  }

  private long[] ids() {
    return random.longs(1 + random.nextInt(4), 0, 9).toArray();
  }

  private static List<Long> keys(Survivors survivors) {
    return java.util.stream.IntStream.range(0, survivors.size())
        .mapToObj(survivors.keys()::prefix)
        .toList();
  }

  private Survivors index(Tail tail) {
    return TailIndex.of(tail, KeyColumns.of(SCHEMA), allocator).survivors();
  }

  @Test
  void blocksUnderAnotherKeyAreRefused() {
    append(TABLE, BlockKind.UPSERT, 1);
    Schema other = new Schema(SCHEMA.columns(), Set.of());

    assertThatThrownBy(() -> TailIndex.of(read(0), KeyColumns.of(other), allocator))
        .hasMessageContaining("under the key of field ids [1], the table's key is now []");
  }

  @Test
  void aBoundaryThatMovesDuringTheReadStartsItOver() {
    append(TABLE, BlockKind.UPSERT, 1);
    append(TABLE, BlockKind.UPSERT, 2);
    List<Long> loads = new ArrayList<>();

    Tail tail =
        tails
            .read(
                TABLE,
                () -> {
                  long position = loads.size();
                  loads.add(position);
                  if (position == 0) {
                    // Loaded, and then overtaken: its next block is materialized and trimmed.
                    TableAt<String> old = at(0);
                    trim(Map.of(TABLE, TableState.at(1)));
                    return old;
                  }
                  return at(1);
                },
                null)
            .tail();

    assertThat(loads).hasSize(2);
    assertThat(numbers(tail)).containsExactly(2L);
  }

  @Test
  void anAbsentSlotCountsAsLookedAt() {
    Cut cut = tails.begin(TABLE);
    append(TABLE, BlockKind.UPSERT, 1);
    trim(Map.of(TABLE, TableState.at(1)));
    deleteAll();

    assertThat(cut.read(TABLE, log.at(0), null)).isEmpty();
  }

  private void deleteAll() {
    List<String> keys =
        store.list("", "", 1000).stream()
            .map(meta -> meta.key())
            .filter(key -> key.contains("/segments/"))
            .toList();
    store.delete(keys);
  }

  @Test
  void aReadThatIsAlwaysOvertakenGivesUp() {
    assertThatThrownBy(
            () ->
                tails.read(
                    TABLE,
                    () -> {
                      long next = append(OTHER, BlockKind.UPSERT, 1);
                      trim(Map.of(OTHER, TableState.at(next)));
                      return at(0);
                    },
                    null))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
        .hasMessageContaining("moved during each of 4 tries");
  }

  @Test
  void aTableLoadedBeforeTheBoundaryMissesBlocksAndOnlyTheLogsMemoryTells() {
    LogReader reader = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);
    TailReader wrong =
        new TailReader(root, name -> reader, LIMITS, duration -> {}, CutOrder.TABLE_FIRST);
    append(TABLE, BlockKind.UPSERT, 1);
    append(TABLE, BlockKind.UPSERT, 2);

    assertThatThrownBy(
            () ->
                wrong.read(
                    TABLE,
                    () -> {
                      trim(Map.of(TABLE, TableState.at(1)));
                      return at(0);
                    },
                    null))
        .hasMessageContaining(
            "is at position " + log.at(0) + ", but the log knows that it was at 1");
  }

  @Test
  void aWantedPositionIsWaitedForWithinABound() {
    append(TABLE, BlockKind.UPSERT, 1);
    int[] pauses = {0};
    onPause =
        () -> {
          if (++pauses[0] == 2) {
            append(TABLE, BlockKind.UPSERT, 2);
          }
        };
    assertThat(numbers(tails.read(TABLE, () -> at(0), log.at(2)).tail())).containsExactly(1L, 2L);

    onPause = () -> pauses[0]++;
    assertThatThrownBy(() -> tails.read(TABLE, () -> at(0), log.at(9)))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
        .hasMessageContaining("beyond the log's end, 2");
    assertThat(pauses[0]).isEqualTo(2 + 3);
  }

  @Test
  void positionsOfAnotherLogAreLoudErrors() {
    append(TABLE, BlockKind.UPSERT, 1);
    LogName elsewhere = new LogName(new UUID(7, 7), 1, 0);
    LogName later = new LogName(root.root(), 2, 0);
    LogName another = new LogName(root.root(), 1, 1);
    for (LogName wrong : List.of(elsewhere, later, another)) {
      Position position = wrong.at(0);
      assertInvalid(position, null);
      assertInvalid(log.at(0), position);
    }
  }

  private void assertInvalid(Position from, @Nullable Position atLeast) {
    assertThatThrownBy(() -> tails.read(TABLE, () -> at(TABLE, from), atLeast))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID));
  }

  @Test
  void aTableBehindWhatTheLogRemembersIsALoudError() {
    append(TABLE, BlockKind.UPSERT, 1);
    append(TABLE, BlockKind.UPSERT, 2);
    trim(Map.of(TABLE, TableState.at(2)));

    assertThatThrownBy(() -> read(1))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CORRUPT))
        .hasMessageContaining("restored from a backup");
  }

  @Test
  void anOutdatedVersionIsReadAsLongAsTheLogHasAllAfterIt() {
    append(TABLE, BlockKind.UPSERT, 1);
    append(OTHER, BlockKind.UPSERT, 1);
    append(OTHER, BlockKind.UPSERT, 2);
    append(TABLE, BlockKind.UPSERT, 2);
    trim(Map.of(TABLE, TableState.at(4), OTHER, TableState.at(2)));
    Cut cut = tails.begin(TABLE);
    assertThat(cut.boundary().number()).isEqualTo(2);
    Position outdated = log.at(2);

    Tail tail = cut.read(TABLE, outdated, log.at(4), null).orElseThrow();

    assertThat(numbers(tail)).containsExactly(4L);
    assertThatThrownBy(() -> cut.read(TABLE, outdated, null))
        .hasMessageContaining("restored from a backup");
  }

  @Test
  void aLogThatEndsBeforeTheTablesPositionIsALoudError() {
    append(TABLE, BlockKind.UPSERT, 1);
    append(TABLE, BlockKind.UPSERT, 2);

    assertThat(read(2).blocks()).isEmpty();
    assertThatThrownBy(() -> read(3))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CORRUPT))
        .hasMessageContaining("restored from a backup");
    append(TABLE, BlockKind.UPSERT, 3);
    assertThat(read(3).blocks()).isEmpty();
  }

  @Test
  void aBlockWithAPartThatIsLostByAnOperatorsWordHasNoRowsAtAll() {
    append(TABLE, BlockKind.UPSERT, 1);
    append(TABLE, BlockKind.UPSERT, 2);
    BlockRef lost = read(0).blocks().get(0);
    String key = lost.location().object();
    byte[] bytes = store.get(key, ByteRange.ALL).orElseThrow().bytes();
    bytes[(int) lost.location().rest().offset() + 20] ^= 1;
    store.put(key, bytes);
    TailReader cold = tails(duration -> {});
    Tail before = cold.read(TABLE, () -> at(0), null).tail();
    assertThat(index(before).size()).as("its keys are good").isEqualTo(2);

    AcceptedLoss.ofBlock(root, lost.log(), lost.number(), lost.index(), "bad disk");
    assertThatThrownBy(() -> TailColumns.read(before, lost, SCHEMA, allocator))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CONFLICT));
    Tail after = cold.read(TABLE, () -> at(0), null).tail();
    assertThat(numbers(after)).containsExactly(2L);
    assertThat(index(after).size()).isEqualTo(1);
  }

  @Test
  void b152_aTailWhoseSegmentsWereDeletedIsNeverShorter() {
    append(TABLE, BlockKind.UPSERT, 1);
    Tail tail = read(0);
    trim(Map.of(TABLE, TableState.at(1)));
    deleteAll();
    LogReader cold = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);

    assertThatThrownBy(() -> cold.readKeys(tail.blocks().get(0), allocator))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CONFLICT));
  }

  @Test
  void theCutOfAnotherLogIsNoticedAndMadeAgain() {
    LogRoot three = LogRoot.openOrCreate(new MemoryObjectStore(() -> Instant.EPOCH), 3, random);
    UUID first = new UUID(0, 0);
    UUID second =
        java.util.stream.LongStream.range(1, 100)
            .mapToObj(i -> new UUID(i, 0))
            .filter(id -> !three.logOf(id).equals(three.logOf(first)))
            .findFirst()
            .orElseThrow();
    TailReader reader =
        new TailReader(
            three,
            name -> new LogReader(three, name, Runnable::run, ReaderLimits.DEFAULTS),
            LIMITS,
            duration -> {});

    TailOf<String> read = reader.read(first, () -> at(second, three.logOf(second).at(0)), null);
    assertThat(Optional.ofNullable(read.tail()).map(Tail::end)).contains(three.logOf(second).at(0));
  }

  @Test
  void aTableThatIsOlderThanTheSchemaOfABlockIsLoadedAgain() {
    append(TABLE, BlockKind.UPSERT, 1);
    TableAt<String> newSchema = at(0);
    TableAt<String> oldSchema = new TableAt<>("old", TABLE, log.at(0), 0, 1);
    Iterator<TableAt<String>> loads = List.of(oldSchema, newSchema).iterator();

    TailOf<String> read = tails.read(TABLE, loads::next, null);

    assertThat(read.table()).isEqualTo(newSchema);
    assertThat(numbers(read.tail())).containsExactly(1L);
  }

  @Test
  void aBlockWhoseSchemaIsGoneFromTheTableIsReadAllTheSame() {
    append(TABLE, BlockKind.UPSERT, 1);
    int[] loads = {0};

    Tail tail =
        tails
            .read(
                TABLE,
                () -> {
                  loads[0]++;
                  return new TableAt<>("t", TABLE, log.at(0), -1, 2);
                },
                null)
            .tail();

    assertThat(numbers(tail)).containsExactly(1L);
    assertThat(loads[0]).isEqualTo(2);
  }
}
