package io.icewal.tail;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.model.BlockKind;
import io.icewal.parquet.ArrowRecords;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.wal.BlockHeader;
import io.icewal.wal.BlockLocation;
import io.icewal.wal.BlockRef;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.ReaderLimits;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IndexCacheTest {
  private static final Schema SCHEMA =
      new Schema(List.of(NestedField.required(1, "id", Types.LongType.get())), Set.of(1));
  private static final KeyColumns KEY = KeyColumns.of(SCHEMA);
  private static final String KEY_TYPES = KEY.keySchema().toString();
  private static final UUID TABLE = new UUID(1, 1);
  private static final UUID OTHER = new UUID(2, 2);
  private static final long BYTES_MAX = 1 << 20;

  private final BufferAllocator allocator = new RootAllocator();
  private final LogRoot root =
      LogRoot.openOrCreate(new MemoryObjectStore(() -> Instant.EPOCH), 1, new SplittableRandom(5));
  private final LogReader reader =
      new LogReader(root, root.log(0), Runnable::run, ReaderLimits.DEFAULTS);
  private final KeyCache keys = new KeyCache(Long.MAX_VALUE);
  private final IndexCache indexes = new IndexCache(BYTES_MAX);

  @AfterEach
  void close() {
    allocator.close();
  }

  /// Makes the index of a tail whose blocks have one row each.
  private int index(UUID table, int blocks) {
    List<BlockRef> refs = new ArrayList<>();
    for (int i = 0; i < blocks; i++) {
      BlockRef block = block(table, i);
      refs.add(block);
      keys.put(
          KeyCache.BlockKey.of(block, KEY_TYPES), List.of(new KeyCache.RootKeys(key(i), null)));
    }
    Tail tail =
        new Tail(
            table,
            root.log(0).at(0),
            root.log(0).at(blocks),
            refs,
            /* parked= */ 0,
            reader,
            keys,
            indexes);
    return TailIndex.of(tail, KEY, allocator).survivors().size();
  }

  private BlockRef block(UUID table, int i) {
    UUID id = new UUID(table.getMostSignificantBits(), i);
    return new BlockRef(
        root.log(0),
        i + 1,
        0,
        id,
        new BlockHeader(table, "ns.t", 0, 1, SCHEMA, BlockKind.UPSERT),
        1,
        100,
        Instant.EPOCH,
        List.of(),
        new BlockLocation(BlockLocation.Place.SEGMENT, "segment", id, null, null));
  }

  private KeyVector key(long id) {
    Record record = GenericRecord.create(SCHEMA);
    record.set(0, id);
    try (VectorSchemaRoot rows = ArrowRecords.toArrow(SCHEMA, List.of(record), allocator)) {
      return KEY.encode(rows);
    }
  }

  private boolean isKept(UUID table) {
    return indexes.find(new IndexCache.TableKey(table, KEY_TYPES)) != null;
  }

  @Test
  void manySmallBlocksCountForWhatTheyKeepInMemory() {
    assertThat(index(TABLE, 600)).isEqualTo(600);
    assertThat(indexes.bytes()).as("a KiB a block").isGreaterThan(600L << 10);

    assertThat(index(OTHER, 600)).isEqualTo(600);
    assertThat(indexes.bytes()).isBetween(600L << 10, BYTES_MAX);
    assertThat(isKept(OTHER)).isTrue();
    assertThat(isKept(TABLE)).as("the one that was used before").isFalse();
  }

  @Test
  void anIndexLargerThanTheBoundIsNotKeptNorTheOneBeforeIt() {
    index(TABLE, 10);
    index(OTHER, 600);

    assertThat(index(OTHER, 1_200)).isEqualTo(1_200);

    assertThat(isKept(OTHER)).isFalse();
    assertThat(isKept(TABLE)).isTrue();
    assertThat(indexes.bytes()).isBetween(10L << 10, 20L << 10);
  }

  @Test
  void manyEmptyTailsAreKeptWithinTheBound() {
    int kept = 0;
    for (int i = 0; i < 5_000; i++) {
      assertThat(index(new UUID(9, i), 0)).isZero();
      assertThat(indexes.bytes()).isBetween(1L, BYTES_MAX);
    }
    for (int i = 0; i < 5_000; i++) {
      kept += isKept(new UUID(9, i)) ? 1 : 0;
    }

    assertThat(isKept(new UUID(9, 4_999))).isTrue();
    assertThat(kept).isBetween(1_000, 4_000);
  }
}
