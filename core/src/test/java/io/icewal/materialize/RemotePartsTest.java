package io.icewal.materialize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.parquet.KeyPageCache;
import io.icewal.table.FoundRows;
import io.icewal.table.LiveFiles;
import io.icewal.table.ManifestCache;
import io.icewal.wal.BlockRef;
import io.icewal.wal.BlockReferences;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.util.SerializationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Cycles whose parts other processes work on end as those of one process do.
class RemotePartsTest {
  @TempDir private Path folder;

  /// Works on parts as an engine's executors do: all but tables travels as bytes, and each step is
  /// done twice, of which one counts.
  private static final class Remote implements PartExecutor {
    private final PartServices services;
    private final Random order = new Random(5);
    private long rowsMax = Long.MAX_VALUE;
    private int ranges;
    private int attempts;
    private int tasks;
    private Function<List<RunBytes>, Iterator<RunBytes>> runsOfTask = List::iterator;
    private IntConsumer beforeTask = task -> {};

    /// Tasks that wrote rows.
    private int written;

    Remote(PartServices services) {
      this.services = services;
    }

    @Override
    public long cycleBytesMax() {
      return Long.MAX_VALUE;
    }

    @Override
    public long cycleRowsMax() {
      return rowsMax;
    }

    @Override
    public Parts begin(CyclePlan plan) {
      List<byte[]> groups =
          plan.groups(services.config().cycleBytesMax()).stream()
              .map(BlockReferences::toBytes)
              .toList();
      List<List<byte[]>> runs = plan.key().isEmpty() ? List.of() : sort(plan, groups);
      return new Parts() {
        @Override
        public List<PartResult> run(PartTask task, Table now) {
          written += task.writes() ? 1 : 0;
          beforeTask.accept(++tasks);
          FoundRows.Reader reader =
              new FoundRows.Reader(LiveFiles.of(now, plan.key(), services.manifests()), now);
          List<PartResult> results = new ArrayList<>();
          int parts = plan.key().isEmpty() ? groups.size() : runs.size();
          for (int part = 0; part < parts; part++) {
            byte[] lost = attempt(task, now, part);
            byte[] counts = attempt(task, now, part);
            assertThat(lost).isNotEmpty();
            PartResult.Sent sent = SerializationUtil.deserializeFromBytes(counts);
            results.add(sent.received(reader));
          }
          return results;
        }

        private byte[] attempt(PartTask task, Table now, int part) {
          RemoteWork work = work(plan);
          String name = task.name() + "-attempt" + attempts++;
          return SerializationUtil.serializeToBytes(
              plan.key().isEmpty()
                  ? work.append(BlockReferences.fromBytes(groups.get(part)), name)
                  : work.upsert(
                      runsOfTask.apply(runs.get(part).stream().map(RunBytes::fromBytes).toList()),
                      plan.truncates(),
                      copy(task),
                      now,
                      name));
        }

        @Override
        public void close() {}
      };
    }

    private List<List<byte[]>> sort(CyclePlan plan, List<byte[]> groups) {
      KeyRanges bounds = copy(KeyRanges.choose(plan, 5, services.allocator()));
      ranges = bounds.count();
      Map<Integer, List<byte[]>> runs = new TreeMap<>();
      for (int range = 0; range < bounds.count(); range++) {
        runs.put(range, new ArrayList<>());
      }
      for (int group = 0; group < groups.size(); group++) {
        List<BlockRef> blocks = BlockReferences.fromBytes(groups.get(group));
        work(plan)
            .sort(blocks, group, groups.size(), bounds)
            .forEach((range, run) -> runs.get(range).add(run.toBytes()));
      }
      runs.values().forEach(of -> Collections.shuffle(of, order));
      return List.copyOf(runs.values());
    }

    private RemoteWork work(CyclePlan plan) {
      return new RemoteWork(plan.table(), plan.log(), services);
    }

    private static <T> T copy(T value) {
      return SerializationUtil.deserializeFromBytes(SerializationUtil.serializeToBytes(value));
    }
  }

  private Remote remote(Warehouse warehouse, long partBytes) {
    return new Remote(
        new PartServices(
            new MaterializeConfig(partBytes, 5, folder.resolve("spill")),
            warehouse.allocator(),
            new ManifestCache(),
            new KeyPageCache()));
  }

  /// The same random changes; half are materialized by one process first.
  private static void change(Warehouse warehouse, long seed) {
    Random random = new Random(seed);
    for (int block = 0; block < 30; block++) {
      List<List<?>> rows = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        rows.add(List.of((long) random.nextInt(300), "v" + block + "-" + i));
      }
      if (random.nextInt(4) == 0) {
        warehouse.delete(rows.stream().map(row -> List.of(row.get(0))).toArray(List<?>[]::new));
      } else {
        warehouse.upsert(rows.toArray(List<?>[]::new));
      }
      if (block == 14) {
        warehouse.materializeAll();
      }
    }
  }

  private void isTheSame(PartitionSpec spec) {
    try (Warehouse one = new Warehouse(folder.resolve("one"));
        Warehouse many = new Warehouse(folder.resolve("many"))) {
      one.create(Warehouse.SCHEMA, spec);
      many.create(Warehouse.SCHEMA, spec);
      change(one, 7);
      change(many, 7);
      long before = snapshots(many);
      long firstNew = ((HasTableOperations) many.load()).operations().current().nextRowId();
      Remote executor = remote(many, 4_000);

      one.materializeAll();
      MaterializeResult result = many.step(many.with(executor, () -> {}));

      assertThat(result.status()).isEqualTo(MaterializeResult.Status.COMMITTED);
      assertThat(result.more()).isFalse();
      assertThat(result.position()).isEqualTo(many.end());
      assertThat(snapshots(many)).isEqualTo(before + 1);
      assertThat(executor.ranges).isGreaterThan(2);
      assertThat(many.rows()).isEqualTo(one.rows());
      assertThat(continued(many, firstNew)).isEqualTo(continued(one, firstNew)).isNotEmpty();
      everyRowIsFoundAgain(many);
    }
  }

  /// Files are sorted and know their bounds: a later cycle replaces each row.
  private static void everyRowIsFoundAgain(Warehouse warehouse) {
    List<List<?>> rows = new ArrayList<>();
    for (long id = 0; id < 300; id++) {
      rows.add(List.of(id, "last"));
    }
    warehouse.upsert(rows.toArray(List<?>[]::new));
    assertThat(warehouse.materializeAll())
        .isEqualTo(rows.stream().map(row -> row.get(0) + ",last").sorted().toList());
  }

  private static long snapshots(Warehouse warehouse) {
    long count = 0;
    for (Object ignored : warehouse.load().snapshots()) {
      count++;
    }
    return count;
  }

  /// The rows that continue one of the first so many rows.
  private static List<String> continued(Warehouse warehouse, long first) {
    return warehouse.rowsWithIds().stream()
        .filter(row -> Long.parseLong(row.substring(row.lastIndexOf(',') + 1)) < first)
        .toList();
  }

  @Test
  void rangesEndAsOneProcessDoes() {
    isTheSame(PartitionSpec.unpartitioned());
  }

  @Test
  void rangesEndAsOneProcessDoesInPartitions() {
    isTheSame(PartitionSpec.builderFor(Warehouse.SCHEMA).bucket("id", 3).build());
  }

  @Test
  void groupsOfAppendsEndAsOneProcessDoes() {
    Schema columns = new Schema(Warehouse.SCHEMA.columns());
    try (Warehouse warehouse = new Warehouse(folder.resolve("appends"))) {
      warehouse.create(columns);
      warehouse.upsert(List.of(0L, "gone"));
      warehouse.materializeAll();
      warehouse.upsert(List.of(1L, "gone, too"));
      warehouse.truncate();
      List<String> expected = new ArrayList<>();
      for (long i = 0; i < 40; i++) {
        warehouse.upsert(List.of(i, "v"), List.of(i, "v"));
        expected.addAll(List.of(i + ",v", i + ",v"));
      }
      expected.sort(null);

      MaterializeResult result = warehouse.step(warehouse.with(remote(warehouse, 300), () -> {}));

      assertThat(result.status()).isEqualTo(MaterializeResult.Status.COMMITTED);
      assertThat(warehouse.files()).hasSizeGreaterThan(2);
      assertThat(warehouse.rows()).isEqualTo(expected);
    }
  }

  @Test
  void truncationLeavesNoneOfTheRowsBeforeIt() {
    try (Warehouse warehouse = new Warehouse(folder.resolve("truncated"))) {
      warehouse.create(Warehouse.SCHEMA);
      warehouse.upsert(List.of(1L, "gone"), List.of(2L, "gone"));
      warehouse.materializeAll();
      warehouse.upsert(List.of(3L, "gone"));
      warehouse.truncate();
      warehouse.upsert(List.of(2L, "new"), List.of(4L, "new"));
      warehouse.delete(List.of(4L));
      warehouse.upsert(List.of(5L, "new"));

      assertThat(warehouse.step(warehouse.with(remote(warehouse, 1), () -> {})).status())
          .isEqualTo(MaterializeResult.Status.COMMITTED);

      assertThat(warehouse.rowsWithIds()).hasSize(2).noneMatch(row -> row.endsWith(",1"));
      assertThat(warehouse.rows()).containsExactly("2,new", "5,new");
    }
  }

  /// A conflict: rows are looked for again, in all parts, and nothing is written again.
  @Test
  void compactionOfOthersMeanwhileMovesRowsAndWritesNothingAgain() {
    try (Warehouse warehouse = new Warehouse(folder.resolve("moved"))) {
      warehouse.create(Warehouse.SCHEMA);
      warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"), List.of(3L, "c"));
      warehouse.materializeAll();
      List<String> before = warehouse.ids();
      warehouse.upsert(List.of(1L, "new"));
      warehouse.upsert(List.of(3L, "new"));
      AtomicInteger tries = new AtomicInteger();
      Remote executor = remote(warehouse, 1);

      MaterializeResult result =
          warehouse.step(
              warehouse.with(
                  executor,
                  () -> {
                    if (tries.getAndIncrement() == 0) {
                      warehouse.compact();
                    }
                  }));

      assertThat(result.status()).isEqualTo(MaterializeResult.Status.COMMITTED);
      assertThat(tries.get()).isEqualTo(2);
      assertThat(executor.written).isEqualTo(1);
      assertThat(warehouse.rows()).containsExactly("1,new", "2,b", "3,new");
      assertThat(warehouse.ids()).containsExactlyInAnyOrderElementsOf(before);
    }
  }

  /// A cycle that takes long: others expire what it looks into.
  @Test
  void expiryOfOthersMeanwhileHasItLookedForAgain() {
    try (Warehouse warehouse = new Warehouse(folder.resolve("expired"))) {
      warehouse.create(Warehouse.SCHEMA);
      warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"), List.of(3L, "c"));
      warehouse.materializeAll();
      List<String> before = warehouse.ids();
      warehouse.upsert(List.of(1L, "new"));
      warehouse.upsert(List.of(3L, "new"));
      Remote executor = remote(warehouse, 1);
      executor.beforeTask =
          task -> {
            if (task == 1) {
              warehouse.compact();
              warehouse
                  .load()
                  .expireSnapshots()
                  .expireOlderThan(Long.MAX_VALUE)
                  .retainLast(1)
                  .commit();
            }
          };

      MaterializeResult result = warehouse.step(warehouse.with(executor, () -> {}));

      assertThat(result.status()).isEqualTo(MaterializeResult.Status.COMMITTED);
      assertThat(executor.written).isEqualTo(2);
      assertThat(warehouse.rows()).containsExactly("1,new", "2,b", "3,new");
      assertThat(warehouse.ids()).containsExactlyInAnyOrderElementsOf(before);
    }
  }

  @Test
  void fileThatIsMissingFromTheSnapshotIsToldAtOnce() {
    try (Warehouse warehouse = new Warehouse(folder.resolve("missing"))) {
      warehouse.create(Warehouse.SCHEMA);
      warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
      warehouse.materializeAll();
      warehouse.upsert(List.of(1L, "new"));
      String location = warehouse.files().get(0).location();
      warehouse.load().io().deleteFile(location);
      Remote executor = remote(warehouse, 1);

      assertThatThrownBy(() -> warehouse.step(warehouse.with(executor, () -> {})))
          .isInstanceOf(NotFoundException.class)
          .hasMessageContaining(location);

      assertThat(executor.written).isEqualTo(1);
    }
  }

  /// Runs come from Spark, which throws checked exceptions undeclared, too.
  @Test
  void runsThatDoNotAllArriveLeaveNothingBehind() throws IOException {
    try (Warehouse warehouse = new Warehouse(folder.resolve("torn"))) {
      warehouse.create(Warehouse.SCHEMA);
      warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
      Remote executor = remote(warehouse, 1);
      executor.runsOfTask = runs -> torn(runs.iterator());

      assertThatThrownBy(() -> warehouse.step(warehouse.with(executor, () -> {})))
          .isInstanceOf(InterruptedException.class);

      try (Stream<Path> left = Files.list(folder.resolve("spill"))) {
        assertThat(left).isEmpty();
      }
      assertThat(warehouse.rows()).isEmpty();
    }
  }

  private static Iterator<RunBytes> torn(Iterator<RunBytes> runs) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return true;
      }

      @Override
      public RunBytes next() {
        return runs.hasNext() ? runs.next() : undeclared(new InterruptedException("killed"));
      }
    };
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <R, E extends Exception> R undeclared(Exception e) throws E {
    throw (E) e;
  }

  @Test
  void cycleTakesNoMoreRowsThanItsExecutorDoes() {
    try (Warehouse warehouse = new Warehouse(folder.resolve("bound"))) {
      warehouse.create(Warehouse.SCHEMA);
      for (long i = 0; i < 7; i++) {
        warehouse.upsert(List.of(i, "a"), List.of(i + 1, "b"));
      }
      Remote executor = remote(warehouse, 1);
      executor.rowsMax = 5;
      Materializer materializer = warehouse.with(executor, () -> {});

      List<Long> rows = new ArrayList<>();
      MaterializeResult result = warehouse.step(materializer);
      while (result.status() == MaterializeResult.Status.COMMITTED) {
        rows.add(result.rows());
        result = warehouse.step(materializer);
      }

      assertThat(rows).containsExactly(4L, 4L, 4L, 2L);
      assertThat(warehouse.rows()).hasSize(8);
    }
  }

  @Test
  void rowsOfOthersMeanwhileAreReplacedToo() {
    try (Warehouse warehouse = new Warehouse(folder.resolve("theirs"))) {
      warehouse.create(Warehouse.SCHEMA);
      warehouse.upsert(List.of(1L, "a"), List.of(2L, "b"));
      warehouse.materializeAll();
      warehouse.upsert(List.of(7L, "mine"));
      warehouse.upsert(List.of(1L, "mine"));
      AtomicInteger tries = new AtomicInteger();

      MaterializeResult result =
          warehouse.step(
              warehouse.with(
                  remote(warehouse, 1),
                  () -> {
                    if (tries.getAndIncrement() == 0) {
                      warehouse.tables().append(List.of(List.of(7L, "theirs")));
                    }
                  }));

      assertThat(result.status()).isEqualTo(MaterializeResult.Status.COMMITTED);
      assertThat(warehouse.rows()).containsExactly("1,mine", "2,b", "7,mine");
    }
  }
}
