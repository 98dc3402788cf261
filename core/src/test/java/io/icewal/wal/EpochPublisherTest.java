package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.icewal.merge.KeyVector;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.RowBatch;
import io.icewal.statement.EpochPublisher;
import io.icewal.statement.EpochPublisher.Unknown;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementPublisher;
import io.icewal.statement.StatementPublisher.Content;
import io.icewal.statement.StatementTable;
import io.icewal.storage.FaultyObjectStore.Toxic;
import io.icewal.storage.StoreOp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Each epoch of a stream is in the log once, whatever happens between its two marks.
class EpochPublisherTest {
  private static final UUID STREAM = new UUID(5, 5);

  private final LogFixture fixture = new LogFixture();
  private final StatementTable table =
      new StatementTable(
          "ns.t1",
          Rows.table(1),
          SchemaParser.toJson(Rows.KEYED),
          PartitionSpecParser.toJson(PartitionSpec.unpartitioned()),
          2,
          fixture.log.at(0).toString());

  @AfterEach
  void close() {
    fixture.close();
  }

  /// As another driver that has just started.
  private EpochPublisher driver() {
    StatementPublisher statements =
        new StatementPublisher(
            "engine", log -> fixture.writer(), log -> fixture.reader(), fixture.allocator);
    return new EpochPublisher(statements, log -> new EpochMarks(fixture.root, fixture.reader()));
  }

  /// Rows `epoch * 10` and so on, one for each task.
  private List<StagedRows> staged(long epoch, int tasks) {
    List<StagedRows> staged = new ArrayList<>();
    for (int task = 0; task < tasks; task++) {
      RowBatch rows = Rows.rows(fixture.allocator, Rows.KEYED, epoch * 10 + task, 1);
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

  private void publish(EpochPublisher driver, long epoch, int tasks) {
    publish(driver, epoch, tasks, Unknown.REFUSE);
  }

  private void publish(EpochPublisher driver, long epoch, int tasks, Unknown unknown) {
    driver.publish(table, STREAM, epoch, Content.MORE_ROWS, staged(epoch, tasks), unknown);
  }

  /// A day and two hours later; the log has been written and trimmed meanwhile.
  private void logForgets() {
    fixture.now = fixture.now.plus(Duration.ofHours(26));
    long end = LogFixture.number(fixture.append(fixture.writer(), 999));
    fixture.materializeAndTrim(end);
    assertThat(fixture.reader().summary(fixture.reader().newestBoundary()).producers()).isEmpty();
  }

  /// The driver is killed after the append and before it could say so.
  private void publishAndDie(long epoch, int tasks) {
    fixture.store.before(
        StoreOp.PUT_IF_ABSENT,
        key -> key.contains("/segments/"),
        () ->
            fixture.store.script(StoreOp.PUT, key -> key.contains("/streams/"), Toxic.FAIL_BEFORE));
    assertThat(kindOf(() -> publish(driver(), epoch, tasks))).isEqualTo(ErrorKind.UNAVAILABLE);
  }

  private static ErrorKind kindOf(Runnable publishing) {
    return catchThrowableOfType(IcewalException.class, publishing::run).kind();
  }

  @Test
  void repeatedEpochStoresNothingHoweverManyBlocksItHasThen() {
    publish(driver(), 0, 2);
    publishAndDie(1, 2);

    publish(driver(), 1, 5);
    publish(driver(), 1, 1);
    publish(driver(), 0, 3);
    publish(driver(), 2, 1);

    assertThat(fixture.readable()).containsExactly(0L, 1L, 10L, 11L, 20L);
  }

  @Test
  void twoDriversOfOneStreamStoreAnEpochOnce() {
    EpochPublisher late = driver();
    List<StagedRows> rows = staged(3, 4);
    fixture.store.before(
        StoreOp.PUT, key -> key.contains("/streams/"), () -> publish(driver(), 3, 2));

    late.publish(table, STREAM, 3, Content.MORE_ROWS, rows, Unknown.REFUSE);

    assertThat(fixture.readable()).containsExactly(30L, 31L);
  }

  @Test
  void epochThatIsMarkedAsPublishedIsKnownForEver() {
    publish(driver(), 4, 2);
    logForgets();

    publish(driver(), 4, 2);
    publish(driver(), 5, 1);

    assertThat(fixture.all()).containsExactlyInAnyOrder(40L, 41L, 999L, 50L);
  }

  @Test
  void epochThatTheLogHasForgottenAndNobodyVouchesForIsRefused() {
    publishAndDie(6, 2);
    logForgets();

    assertThat(kindOf(() -> publish(driver(), 6, 2))).isEqualTo(ErrorKind.UNKNOWN);
    assertThat(fixture.all()).containsExactlyInAnyOrder(60L, 61L, 999L);

    publish(driver(), 6, 2, Unknown.SKIP);
    publish(driver(), 6, 2);
    publish(driver(), 7, 1);
    assertThat(fixture.all()).containsExactlyInAnyOrder(60L, 61L, 999L, 70L);
  }

  @Test
  void epochOfLongAgoIsRefusedBeforeTheLogForgetsIt() {
    publishAndDie(6, 2);
    fixture.now = fixture.now.plus(Duration.ofHours(24));

    assertThat(kindOf(() -> publish(driver(), 6, 2))).isEqualTo(ErrorKind.UNKNOWN);
    assertThat(fixture.all()).containsExactlyInAnyOrder(60L, 61L);
  }

  @Test
  void epochThatSomebodyFoundMissingIsAppendedThenOnce() {
    fixture.store.script(StoreOp.PUT_IF_ABSENT, key -> key.contains("/staged/"), Toxic.FAIL_AFTER);
    fixture.store.before(
        StoreOp.PUT_IF_ABSENT,
        key -> key.contains("/segments/"),
        () -> fixture.store.rate(Toxic.FAIL_BEFORE, 1));
    assertThat(kindOf(() -> publish(driver(), 8, 2))).isEqualTo(ErrorKind.UNKNOWN);
    fixture.store.rate(Toxic.FAIL_BEFORE, 0);
    logForgets();
    assertThat(kindOf(() -> publish(driver(), 8, 2))).isEqualTo(ErrorKind.UNKNOWN);

    publish(driver(), 8, 2, Unknown.APPEND);
    publish(driver(), 8, 2, Unknown.APPEND);

    assertThat(fixture.all()).containsExactlyInAnyOrder(999L, 80L, 81L);
  }

  @Test
  void unansweredAppendIsLookedUpByTheNextDriver() {
    fixture.store.before(
        StoreOp.PUT_IF_ABSENT,
        key -> key.contains("/segments/"),
        () -> fixture.store.rate(Toxic.FAIL_AFTER, 1));
    assertThat(kindOf(() -> publish(driver(), 9, 3))).isEqualTo(ErrorKind.UNKNOWN);
    fixture.store.rate(Toxic.FAIL_AFTER, 0);

    publish(driver(), 9, 2);

    assertThat(fixture.readable()).containsExactly(90L, 91L, 92L);
  }

  @Test
  void completeEpochsReplaceEachOtherOnce() {
    fixture.append(fixture.writer(), 1);
    driver().publish(table, STREAM, 0, Content.ALL_ROWS, staged(1, 2), Unknown.REFUSE);
    driver().publish(table, STREAM, 1, Content.ALL_ROWS, List.of(), Unknown.REFUSE);
    driver().publish(table, STREAM, 1, Content.ALL_ROWS, staged(2, 2), Unknown.REFUSE);

    List<BlockKind> kinds =
        fixture.reader().read(0).blocks(Rows.table(1)).stream()
            .map(block -> block.header().kind())
            .toList();

    assertThat(kinds)
        .containsExactly(
            BlockKind.UPSERT,
            BlockKind.TRUNCATE,
            BlockKind.UPSERT,
            BlockKind.UPSERT,
            BlockKind.TRUNCATE);
  }

  @Test
  void epochWithoutRowsCostsNoRequest() {
    EpochPublisher driver = driver();
    fixture.counted.reset();

    driver.publish(table, STREAM, 0, Content.MORE_ROWS, List.of(), Unknown.REFUSE);

    assertThat(fixture.counted.counts()).isEmpty();
  }
}
