package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.BlockKind;
import io.icewal.storage.MemoryObjectStore;
import io.icewal.wal.BlockRef;
import io.icewal.wal.FrameRows;
import io.icewal.wal.LogReader;
import io.icewal.wal.LogRoot;
import io.icewal.wal.ReaderLimits;
import io.icewal.wal.WalWriter;
import io.icewal.wal.WriterLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Through the real log: what was acknowledged is there, as it was sent.
@NullUnmarked // Nulls are part of what is tested.
class IngestToLogTest {
  private final Harness harness = new Harness();
  private final SettableClock clock = new SettableClock();
  private final RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
  private final LogRoot root = LogRoot.openOrCreate(new MemoryObjectStore(clock), 1, random);
  private final GroupCommit commit =
      new GroupCommit(
          new WalWriter(root, root.log(0), random, clock, null, WriterLimits.DEFAULTS)::append,
          GroupCommitLimits.defaults(),
          clock);

  @AfterEach
  void nothingIsLeftOpen() {
    commit.close();
    harness.close();
  }

  private Ingestor ingestor(Schema schema) {
    return new Ingestor(
        root,
        Map.of(root.log(0), commit),
        new TableSchemas(name -> Harness.table(schema), clock),
        IngestLimits.defaults(),
        harness.out);
  }

  private List<BlockRef> blocks() {
    return reader().read(0).blocks(new UUID(7, 9));
  }

  private LogReader reader() {
    return new LogReader(root, root.log(0), Runnable::run, ReaderLimits.DEFAULTS);
  }

  private CompletableFuture<BatchAnswer> send(
      Ingestor ingestor, StreamOptions options, long sequence, VectorSchemaRoot batch) {
    try (batch) {
      return ingestor
          .open(Harness.NAME, options, batch.getSchema(), harness.dictionaries)
          .submit(batch, harness.dictionaries, sequence);
    }
  }

  @Test
  void randomRowsOfAnAppendOnlyTableComeBackEqual() {
    for (long seed = 100; seed < 130; seed++) {
      roundTrip(new Random(seed));
    }
  }

  private void roundTrip(Random values) {
    RandomRows rows = new RandomRows();
    NestedField column = NestedField.optional(1, "c", rows.type(values, 3));
    List<Object> expected = RandomRows.values(values, column.type(), 20);
    ArrowInput input =
        new ArrowInput(values, harness.in, harness.dictionaries, ArrowInput.Dictionaries.ANY_TYPE);
    ArrowInput.Form form = input.form(column.type());
    FieldVector vector = form.field("c").createVector(harness.in);
    vector.setInitialCapacity(8);
    vector.allocateNew();
    for (int i = 0; i < expected.size(); i++) {
      form.write(vector, i, expected.get(i));
    }
    form.end(vector, expected.size());
    vector.setValueCount(expected.size());
    CompletableFuture<BatchAnswer> answer =
        send(
            ingestor(new Schema(column)),
            StreamOptions.defaults(),
            0,
            Harness.rows(expected.size(), vector));
    clock.advance(java.time.Duration.ofSeconds(1));
    assertThat(commit.step()).isTrue();
    BlockRef block = blocks().get(blocks().size() - 1);
    assertThat(answer.join().position().number()).isEqualTo(block.number());
    try (FrameRows stored = reader().readRest(block, harness.in)) {
      assertThat(Canonical.read(stored.roots().get(0).getVector(0), column.type()))
          .isEqualTo(expected);
    }
    harness.dictionaries.getDictionaryIds().stream()
        .toList()
        .forEach(id -> harness.dictionaries.lookup(id).getVector().clear());
  }

  private VectorSchemaRoot keyed(int[] ids, int[] values, int... ops) {
    BigIntVector id = new BigIntVector("id", harness.in);
    IntVector v = new IntVector("v", harness.in);
    IntVector op = new IntVector("_op", harness.in);
    for (int i = 0; i < ids.length; i++) {
      id.setSafe(i, ids[i]);
      v.setSafe(i, values[i]);
      if (ops.length > 0) {
        op.setSafe(i, ops[i]);
      }
    }
    id.setValueCount(ids.length);
    v.setValueCount(ids.length);
    op.setValueCount(ids.length);
    if (ops.length > 0) {
      return Harness.rows(ids.length, op, v, id);
    }
    op.close();
    return Harness.rows(ids.length, v, id);
  }

  @Test
  void b140_upsertsDeletesAndMixedBatchesAreStoredOnceEach() {
    Schema schema =
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.required(2, "v", Types.IntegerType.get())),
            Set.of(1));
    Ingestor ingestor = ingestor(schema);
    for (int round = 0; round < 2; round++) {
      int sequence = 0;
      for (StreamOptions.Op op :
          List.of(StreamOptions.Op.UPSERT, StreamOptions.Op.DELETE, StreamOptions.Op.COLUMN)) {
        StreamOptions options = new StreamOptions(StreamOptions.Mode.REJECT, op, "p");
        int[] ops = op == StreamOptions.Op.COLUMN ? new int[] {1, 0} : new int[0];
        CompletableFuture<BatchAnswer> answer =
            send(ingestor, options, sequence++, keyed(new int[] {3, 4}, new int[] {30, 40}, ops));
        clock.advance(java.time.Duration.ofSeconds(1));
        commit.step();
        assertThat(answer.join().status()).isEqualTo(BatchAnswer.Status.OK);
        assertThat(answer.join().rows()).isEqualTo(2);
      }
    }
    List<BlockRef> blocks = blocks();
    assertThat(blocks)
        .extracting(block -> block.header().kind())
        .containsExactly(BlockKind.UPSERT, BlockKind.DELETE, BlockKind.MIXED);
    for (BlockRef block : blocks) {
      List<Object> keys = new ArrayList<>();
      try (FrameRows stored = reader().readKeys(block, harness.in)) {
        FieldVector key =
            ArrowSchemas.find(stored.roots().get(0).getFieldVectors().subList(0, 1), 1);
        keys.addAll(Canonical.read(key, Types.LongType.get()));
      }
      assertThat(keys).isEqualTo(List.of(3L, 4L));
    }
    try (FrameRows rest = reader().readRest(blocks.get(2), harness.in)) {
      assertThat(Canonical.read(rest.roots().get(0).getVector(0), Types.IntegerType.get()))
          .isEqualTo(java.util.Arrays.asList(null, 40));
    }
  }
}
