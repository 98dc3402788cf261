package io.icewal.trino.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.slice.Slice;
import io.icewal.model.BlockKind;
import io.icewal.model.Position;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementTable;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.wal.LogRoot;
import io.icewal.wal.Staging;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.type.BigintType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;

/// What tasks tell the coordinator, which must hold it all.
class FragmentSizeTest {
  private static final int ROWS = 100_000;

  private final SplittableRandom random = new SplittableRandom(5);

  @Test
  void anInsertTellsNoKeysAndAStatementThatHasReadTellsThemAll() {
    List<Slice> inserted = stage(false);
    List<Slice> merged = stage(true);

    assertThat(inserted.stream().mapToInt(Slice::length).sum()).isLessThan(2_000);
    assertThat(keys(merged)).isEqualTo(ROWS);
  }

  private static int keys(List<Slice> fragments) {
    return fragments.stream()
        .mapToInt(fragment -> StagedRows.fromBytes(fragment.getBytes()).keys().size())
        .sum();
  }

  private List<Slice> stage(boolean tellsKeys) {
    LogRoot root = LogRoot.openOrCreate(new MemoryObjectStore(Instant::now), 1, random);
    Position start = root.all().get(0).at(0);
    Schema schema =
        new Schema(List.of(NestedField.required(1, "id", Types.LongType.get())), Set.of(1));
    StatementTable table =
        new StatementTable(
            "s.t",
            new UUID(1, 2),
            SchemaParser.toJson(schema),
            PartitionSpecParser.toJson(PartitionSpec.unpartitioned()),
            1,
            start.toString());
    long[] ids = random.longs(ROWS).toArray();
    try (BufferAllocator allocator = new RootAllocator();
        BlockStager stager =
            new BlockStager(
                table,
                BlockKind.UPSERT,
                tellsKeys,
                new Staging(root, start.log(), random, Runnable::run),
                allocator.newChildAllocator("test", 0, Long.MAX_VALUE))) {
      stager.add(
          ROWS,
          List.of(new LongArrayBlock(ROWS, Optional.empty(), ids)),
          List.of(BigintType.BIGINT));
      return stager.finish();
    }
  }
}
