package io.icewal.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.BlockKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.RowBatch;
import io.icewal.parquet.ArrowRecords;
import io.icewal.storage.ByteRange;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.storage.ObjectMeta;
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
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.LongStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Who follows a table's log misses nothing of it: trimmed segments are read while they are there,
/// and what is gone is an error.
class FollowerTest {
  private static final Schema SCHEMA =
      new Schema(List.of(NestedField.required(1, "id", Types.LongType.get())), Set.of(1));
  private static final UUID TABLE = new UUID(1, 1);
  private static final UUID OTHER = new UUID(2, 2);

  private final SplittableRandom random = new SplittableRandom(5);
  private final MemoryObjectStore store = new MemoryObjectStore(() -> Instant.EPOCH);
  private final BufferAllocator allocator = new RootAllocator();
  private final LogRoot root = LogRoot.openOrCreate(store, 1, random);
  private final LogName log = root.log(0);
  private long materialized;

  @AfterEach
  void everyBufferIsFree() {
    allocator.close();
  }

  private long append(UUID table, long... ids) {
    WalWriter writer =
        new WalWriter(root, log, random, () -> Instant.EPOCH, null, WriterLimits.DEFAULTS);
    List<Record> records =
        LongStream.of(ids)
            .mapToObj(
                id -> {
                  Record record = GenericRecord.create(SCHEMA);
                  record.set(0, id);
                  return record;
                })
            .toList();
    BlockHeader header = new BlockHeader(table, "ns.t", 0, 1, SCHEMA, BlockKind.UPSERT);
    try (RowBatch rows =
        new RowBatch(BlockKind.UPSERT, ArrowRecords.toArrow(SCHEMA, records, allocator), null)) {
      AppendOutcome outcome = writer.append(List.of(AppendBatch.ofRows(header, null, rows))).get(0);
      return ((AppendOutcome.Appended) outcome).position().number();
    }
  }

  /// A reader without anything in its caches.
  private Follower follower() {
    LogReader reader = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);
    return new Follower(new TailReader(root, name -> reader, TailLimits.DEFAULTS, Pause.REAL));
  }

  private Tail read(long after, long last, long rowsMax) {
    return follower().read(TABLE, log.at(after), () -> log.at(materialized), last, rowsMax);
  }

  private Tail read(long after) {
    return read(after, Long.MAX_VALUE, Long.MAX_VALUE);
  }

  private static List<Long> numbers(Tail tail) {
    return tail.blocks().stream().map(BlockRef::number).toList();
  }

  /// All tables are materialized up to a number, which is trimmed.
  private void trim(long number) {
    materialized = Math.max(materialized, number);
    new WalTrimmer(root, log, random, TrimLimits.DEFAULTS, Runnable::run)
        .trim(blocks -> TableState.at(number));
  }

  private List<String> segments() {
    return store.list("1/log-0/segments/", "", 1000).stream().map(ObjectMeta::key).toList();
  }

  @Test
  void tableIsFollowedAcrossTrimRounds() {
    for (int i = 0; i < 3; i++) {
      append(TABLE, i);
      append(OTHER, i);
      trim(2 * i + 2);
    }
    append(TABLE, 9);

    assertThat(numbers(read(0))).containsExactly(1L);
    assertThat(read(0).end().number()).isEqualTo(2);
    assertThat(numbers(read(2))).containsExactly(3L);
    assertThat(numbers(read(3))).isEmpty();
    assertThat(numbers(read(4))).containsExactly(5L);
    assertThat(numbers(read(6))).containsExactly(7L);
    assertThat(numbers(read(7))).isEmpty();
    Tail all = follower().range(TABLE, log.at(0), log.at(7), () -> log.at(materialized));
    assertThat(numbers(all)).containsExactly(1L, 3L, 5L, 7L);
    assertThat(all.end()).isEqualTo(log.at(7));
    Tail none = follower().range(TABLE, log.at(5), log.at(5), () -> log.at(materialized));
    assertThat(numbers(none)).isEmpty();
    assertThat(follower().end(TABLE)).isEqualTo(log.at(7));
  }

  @Test
  void rowsAreLimitedByWholeSegments() {
    append(TABLE, 1, 2, 3);
    append(TABLE, 4);
    append(OTHER, 5);
    append(TABLE, 6, 7);

    assertThat(read(0, Long.MAX_VALUE, 1).end().number()).isEqualTo(1);
    assertThat(read(0, Long.MAX_VALUE, 4).end().number()).isEqualTo(2);
    assertThat(read(0, Long.MAX_VALUE, 6).end().number()).isEqualTo(4);
    assertThat(read(0, 3, 6).end().number()).isEqualTo(3);
    assertThat(numbers(read(2, 4, 1))).containsExactly(4L);
  }

  @Test
  void segmentsThatAreGoneAreAnErrorIfTheTableHadRowsThere() {
    append(TABLE, 1);
    append(TABLE, 2);
    trim(2);
    append(OTHER, 3);
    store.delete(List.of(segments().get(1)));

    assertThatThrownBy(() -> read(0))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("is no longer in the log: it is trimmed up to 2")
        .hasMessageContaining("log.grace");
    assertThat(numbers(read(2))).isEmpty();
  }

  @Test
  void whatWasTrimmedOfOtherTablesIsNotMissed() {
    append(TABLE, 1);
    for (int i = 0; i < 4; i++) {
      append(OTHER, i);
    }
    materialized = 1;
    new WalTrimmer(root, log, random, TrimLimits.DEFAULTS, Runnable::run)
        .trim(blocks -> TableState.at(blocks.tableId().equals(TABLE) ? 1 : 5));
    store.delete(segments());
    append(TABLE, 2);

    Tail tail = read(1);

    assertThat(numbers(tail)).containsExactly(6L);
  }

  @Test
  void parkedBlocksComeInTheirPlace() {
    append(OTHER, 1);
    append(TABLE, 2);
    append(OTHER, 3);
    materialized = 1;
    new WalTrimmer(root, log, random, TrimLimits.DEFAULTS, Runnable::run)
        .trim(blocks -> blocks.tableId().equals(TABLE) ? TableState.park(1) : TableState.at(3));
    store.delete(segments());
    append(TABLE, 4);

    assertThat(numbers(read(1))).containsExactly(2L, 4L);
  }

  @Test
  void tableThatWasPutBackBehindWhatIsTrimmedIsAnErrorAndNotFewerRows() {
    append(TABLE, 1);
    append(TABLE, 2);
    append(TABLE, 3);
    trim(3);
    append(TABLE, 4);
    materialized = 1;

    assertThatThrownBy(() -> read(1))
        .hasMessageContaining("is at position " + log.at(1))
        .hasMessageContaining("was its catalog restored from a backup?");
    assertThatThrownBy(
            () -> follower().range(TABLE, log.at(2), log.at(4), () -> log.at(materialized)))
        .hasMessageContaining("was its catalog restored from a backup?");
  }

  @Test
  void objectThatLandedInATrimmedSlotIsNotTakenForItsSegment() {
    append(TABLE, 1);
    append(TABLE, 2);
    append(TABLE, 3);
    trim(3);
    append(TABLE, 4);
    String second = segments().get(1);
    store.delete(List.of(second));
    ghost(new MemoryObjectStore(() -> Instant.EPOCH), second);

    assertThatThrownBy(() -> read(0)).hasMessageContaining("is no longer in the log");
    assertThat(numbers(read(2))).containsExactly(3L);
  }

  /// A segment that is whole, for this slot, and was never part of this log.
  private void ghost(MemoryObjectStore elsewhere, String key) {
    elsewhere.put("log.json", store.get("log.json", ByteRange.ALL).orElseThrow().bytes());
    LogRoot other = LogRoot.openOrCreate(elsewhere, 1, new SplittableRandom(77));
    WalWriter writer =
        new WalWriter(
            other, log, new SplittableRandom(78), () -> Instant.EPOCH, null, WriterLimits.DEFAULTS);
    BlockHeader header = new BlockHeader(TABLE, "ns.t", 0, 1, SCHEMA, BlockKind.FLUSH);
    writer.append(List.of(AppendBatch.ofNoRows(header, null)));
    writer.append(List.of(AppendBatch.ofNoRows(header, null)));
    store.put(key, elsewhere.get(key, ByteRange.ALL).orElseThrow().bytes());
  }
}
