package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.merge.KeyVector;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.RowBatch;
import io.icewal.statement.EpochPublisher;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementPublisher;
import io.icewal.statement.StatementPublisher.Content;
import io.icewal.statement.StatementTable;
import io.icewal.storage.FaultyObjectStore.Toxic;
import io.icewal.storage.StoreOp;
import io.icewal.wal.EarlierAttempts.IfForgotten;
import io.icewal.wal.Summary.ProducerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.LongStream;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.junit.jupiter.api.Test;

/// Several drivers of one stream, which lag, sleep and die at any request, on a store that loses
/// answers and lets puts arrive late, while days pass and the log is trimmed: each epoch is in the
/// table once, with the rows of one try, and none is refused that the log knows.
class EpochsPropertyTest {
  private static final int ROUNDS = 40;
  private static final int STEPS = 40;
  private static final long NOISE = 0;
  private static final long IDS_OF_EPOCH = 1_000_000;
  private static final long IDS_OF_TRY = 10;

  /// How often what is to be seen was seen.
  private enum Event {
    PUBLISHED,
    REPEATED,
    REFUSED,
    FAILED,
    FOUND,
    MISSED
  }

  @Test
  void everyEpochIsStoredOnceWhateverHappensToItsDrivers() {
    long seed = Long.getLong("icewal.seed", 20261130L);
    SplittableRandom seeds = new SplittableRandom(seed);
    Map<Event, Integer> events = new EnumMap<>(Event.class);
    for (int round = 0; round < ROUNDS; round++) {
      try (Stream stream = new Stream(seeds.split(), events)) {
        stream.run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dicewal.seed=" + seed + ", round " + round, e);
      }
    }
    assertThat(events).containsOnlyKeys(Event.values());
  }

  private static final class Stream implements AutoCloseable {
    private static final UUID ID = new UUID(5, 5);

    private final SplittableRandom random;
    private final Map<Event, Integer> events;
    private final LogFixture fixture = new LogFixture();
    private final StatementTable table =
        new StatementTable(
            "ns.t1",
            Rows.table(1),
            SchemaParser.toJson(Rows.KEYED),
            PartitionSpecParser.toJson(PartitionSpec.unpartitioned()),
            2,
            fixture.log.at(0).toString());
    private final EpochPublisher[] drivers = new EpochPublisher[3];
    private final WalWriter[] writers = new WalWriter[3];
    private final Map<Long, Integer> tasksOfTry = new HashMap<>();
    private final Map<Long, Instant> firstTries = new HashMap<>();
    private final Set<Long> done = new HashSet<>();
    private final Set<EpochPublisher> busy = new HashSet<>();
    private boolean areFaultsAwake;
    private long tries;
    private long next = 1;

    private Stream(SplittableRandom random, Map<Event, Integer> events) {
      this.random = random;
      this.events = events;
      LongStream.range(0, random.nextInt(1000)).forEach(i -> fixture.random.nextLong());
      for (int i = 0; i < drivers.length; i++) {
        start(i);
      }
    }

    private void start(int driver) {
      WalWriter writer = fixture.writer();
      writers[driver] = writer;
      StatementPublisher statements =
          new StatementPublisher(
              "engine", log -> writer, log -> fixture.reader(), fixture.allocator);
      drivers[driver] =
          new EpochPublisher(statements, log -> new EpochMarks(fixture.root, fixture.reader()));
    }

    private void run() {
      for (int i = 0; i < STEPS; i++) {
        step(0);
      }
      fixture.store.landAll();
      publishForSure(next);
      check();
      assertThat(done).hasSize((int) next - 1);
    }

    private void step(int depth) {
      switch (random.nextInt(8)) {
        case 0 -> daysPass();
        case 1 -> land();
        case 2 -> start(random.nextInt(drivers.length));
        case 3 -> publish(random.nextLong(1, next + 1), depth);
        default -> publish(next, depth);
      }
    }

    private void daysPass() {
      fixture.now = fixture.now.plus(Duration.ofHours(random.nextInt(40)));
      int driver = random.nextInt(drivers.length);
      WalWriter writer = busy.contains(drivers[driver]) ? fixture.writer() : writers[driver];
      AppendOutcome noise = fixture.append(writer, NOISE);
      if (noise instanceof AppendOutcome.Unknown) {
        // The log has forgotten that writer.
        noise = fixture.append(fixture.writer(), NOISE);
      }
      long end = LogFixture.number(noise);
      long trimmed = fixture.reader().newestBoundary().number();
      if (random.nextInt(4) > 0) {
        trimmed = random.nextBoolean() ? end : random.nextLong(trimmed + 1, end + 1);
        fixture.materializeAndTrim(trimmed);
      }
      if (random.nextBoolean()) {
        fixture.deleteBelow(trimmed);
      }
    }

    private void land() {
      if (fixture.store.travelling() > 0) {
        int index = random.nextInt(fixture.store.travelling());
        if (random.nextInt(4) == 0) {
          fixture.store.drop(index);
        } else {
          fixture.store.land(index);
        }
      }
    }

    /// One try, with faults and, in the middle of it, other things.
    private void publish(long epoch, int depth) {
      EpochPublisher driver = drivers[random.nextInt(drivers.length)];
      if (busy.contains(driver)) {
        return;
      }
      List<StagedRows> rows = staged(epoch);
      long id = tries;
      firstTries.putIfAbsent(epoch, fixture.now);
      if (depth < 3 && random.nextBoolean()) {
        StoreOp[] ops = {StoreOp.PUT_IF_ABSENT, StoreOp.PUT, StoreOp.LIST, StoreOp.GET};
        String place = random.nextBoolean() ? "/streams/" : "/";
        fixture.store.before(
            ops[random.nextInt(ops.length)], key -> key.contains(place), () -> meanwhile(depth));
      }
      if (random.nextInt(3) == 0) {
        fixture.store.before(StoreOp.PUT, key -> key.contains("/streams/"), this::die);
      }
      busy.add(driver);
      wakeFaults();
      try {
        driver.publish(table, ID, epoch, Content.MORE_ROWS, rows, IfForgotten.REFUSE);
        restFaults();
        saw(isTryStored(id) ? Event.PUBLISHED : Event.REPEATED);
        done(epoch);
      } catch (IcewalException e) {
        restFaults();
        failed(epoch, e);
      } finally {
        busy.remove(driver);
      }
    }

    private boolean isTryStored(long id) {
      return fixture.all().stream().anyMatch(row -> row % IDS_OF_EPOCH / IDS_OF_TRY == id);
    }

    private void meanwhile(int depth) {
      if (areFaultsAwake) {
        restFaults();
        for (int i = random.nextInt(1, 4); i > 0; i--) {
          step(depth + 1);
        }
        wakeFaults();
      }
    }

    /// Between the append and the mark.
    private void die() {
      if (areFaultsAwake) {
        throw new IcewalException(ErrorKind.UNAVAILABLE, "died");
      }
    }

    private void wakeFaults() {
      areFaultsAwake = true;
      double rate = random.nextBoolean() ? 0 : 0.05;
      for (Toxic toxic : Toxic.values()) {
        fixture.store.rate(toxic, rate);
      }
    }

    /// What else is done to the log is done without.
    private void restFaults() {
      areFaultsAwake = false;
      for (Toxic toxic : Toxic.values()) {
        fixture.store.rate(toxic, 0);
      }
    }

    private void failed(long epoch, IcewalException e) {
      if (e.kind() == ErrorKind.UNKNOWN && e.getMessage().contains("unknownEpoch")) {
        saw(Event.REFUSED);
        assertThat(forgottenUpTo()).as(e.getMessage()).isAfter(firstTries.get(epoch));
        assertThat(isKnownToTheLog(epoch)).as(e.getMessage()).isFalse();
        if (random.nextBoolean()) {
          publishForSure(epoch);
        }
      } else {
        saw(Event.FAILED);
        // INVALID: the staged rows are of the day before yesterday.
        assertThat(e.kind()).isIn(ErrorKind.UNAVAILABLE, ErrorKind.UNKNOWN, ErrorKind.INVALID);
      }
    }

    private Instant forgottenUpTo() {
      return fixture
          .reader()
          .summary(fixture.reader().newestBoundary())
          .now()
          .minus(Duration.ofHours(23));
    }

    private boolean isKnownToTheLog(long epoch) {
      Boundary newest = fixture.reader().newestBoundary();
      Summary summary = fixture.reader().summary(newest);
      LogState state = new LogState(newest, summary);
      fixture.reader().read(newest.number()).segments().forEach(state::take);
      ProducerKey key = new ProducerKey(Rows.table(1), "engine/stream/" + ID);
      return state.sequences(key).verdict(epoch) == Sequences.Verdict.SEEN;
    }

    /// As somebody does who was told to look.
    private void publishForSure(long epoch) {
      boolean isThere = fixture.all().stream().anyMatch(id -> id / IDS_OF_EPOCH == epoch);
      start(0);
      drivers[0].publish(
          table,
          ID,
          epoch,
          Content.MORE_ROWS,
          staged(epoch),
          isThere ? IfForgotten.SKIP : IfForgotten.APPEND);
      saw(isThere ? Event.FOUND : Event.MISSED);
      done(epoch);
    }

    private void done(long epoch) {
      done.add(epoch);
      next = Math.max(next, epoch + 1);
    }

    private void saw(Event event) {
      events.merge(event, 1, Integer::sum);
    }

    private List<StagedRows> staged(long epoch) {
      int tasks = random.nextInt(1, 4);
      tries++;
      tasksOfTry.put(tries, tasks);
      List<StagedRows> staged = new ArrayList<>();
      for (int task = 0; task < tasks; task++) {
        long id = epoch * IDS_OF_EPOCH + tries * IDS_OF_TRY + task;
        RowBatch rows = Rows.rows(fixture.allocator, Rows.KEYED, id, 1);
        try {
          StagedBlock block =
              fixture.staging().stage(Rows.header(1, BlockKind.UPSERT), List.of(rows));
          staged.add(StagedRows.of(block, KeyVector.concat(List.of())));
        } finally {
          rows.close();
        }
      }
      return staged;
    }

    private void check() {
      List<Long> ids = fixture.all().stream().filter(id -> id != NOISE).toList();
      assertThat(ids).doesNotHaveDuplicates();
      Map<Long, Set<Long>> triesOf = new HashMap<>();
      Map<Long, Integer> rowsOf = new HashMap<>();
      for (long id : ids) {
        long ofTry = id % IDS_OF_EPOCH / IDS_OF_TRY;
        triesOf.computeIfAbsent(id / IDS_OF_EPOCH, epoch -> new HashSet<>()).add(ofTry);
        rowsOf.merge(ofTry, 1, Integer::sum);
      }
      triesOf.values().forEach(of -> assertThat(of).as("tries of an epoch").hasSize(1));
      rowsOf.forEach((of, rows) -> assertThat(rows).isEqualTo(tasksOfTry.get(of)));
      assertThat(triesOf.keySet()).as("epochs in the table").containsAll(done);
    }

    @Override
    public void close() {
      fixture.close();
    }
  }
}
