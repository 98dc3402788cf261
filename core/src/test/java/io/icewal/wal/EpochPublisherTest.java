package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
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
    return driver(fixture.writer());
  }

  private EpochPublisher driver(WalWriter writer) {
    StatementPublisher statements =
        new StatementPublisher("engine", log -> writer, log -> fixture.reader(), fixture.allocator);
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
    publish(driver, epoch, tasks, IfForgotten.REFUSE);
  }

  private void publish(EpochPublisher driver, long epoch, int tasks, IfForgotten ifForgotten) {
    driver.publish(table, STREAM, epoch, Content.MORE_ROWS, staged(epoch, tasks), ifForgotten);
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

  /// The driver is killed after it has marked an epoch as begun.
  private void beginAndDie(long epoch) {
    List<StagedRows> rows = staged(epoch, 1);
    fixture.store.script(StoreOp.LIST, key -> key.contains("/streams/"), Toxic.FAIL_BEFORE);
    assertThat(
            kindOf(
                () ->
                    driver()
                        .publish(
                            table, STREAM, epoch, Content.MORE_ROWS, rows, IfForgotten.REFUSE)))
        .isEqualTo(ErrorKind.UNAVAILABLE);
  }

  private List<String> marks() {
    return fixture.keys().lines().filter(key -> key.contains("/streams/")).toList();
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
        StoreOp.LIST, key -> key.contains("/streams/"), () -> publish(driver(), 3, 2));

    late.publish(table, STREAM, 3, Content.MORE_ROWS, rows, IfForgotten.REFUSE);

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

    publish(driver(), 6, 2, IfForgotten.SKIP);
    publish(driver(), 6, 2);
    publish(driver(), 7, 1);
    assertThat(fixture.all()).containsExactlyInAnyOrder(60L, 61L, 999L, 70L);
  }

  @Test
  void epochThatTheLogKnowsIsNeverRefusedHoweverLongAgoItWasBegun() {
    publishAndDie(6, 2);
    fixture.now = fixture.now.plus(Duration.ofHours(40));
    fixture.append(fixture.writer(), 999);

    publish(driver(), 6, 2);

    assertThat(fixture.all()).containsExactlyInAnyOrder(60L, 61L, 999L);
  }

  @Test
  void epochThatASecondTryAppendedIsKnownForADayFromThenOn() {
    beginAndDie(6);
    fixture.now = fixture.now.plus(Duration.ofHours(22));
    publishAndDie(6, 2);
    fixture.now = fixture.now.plus(Duration.ofHours(20));
    fixture.materializeAndTrim(LogFixture.number(fixture.append(fixture.writer(), 999)));

    publish(driver(), 6, 3);
    logForgets();
    publish(driver(), 6, 3);

    assertThat(fixture.all()).containsExactlyInAnyOrder(60L, 61L, 999L, 999L);
  }

  @Test
  void epochThatTheLogForgetsRightBeforeTheAppendIsRefused() {
    publishAndDie(6, 2);
    fixture.now = fixture.now.plus(Duration.ofHours(26));
    long end = LogFixture.number(fixture.append(fixture.writer(), 999));
    EpochPublisher driver = driver();
    List<StagedRows> rows = staged(6, 2);
    fixture.store.before(
        StoreOp.LIST, key -> key.contains("/streams/"), () -> afterTheMarksForget(end));

    assertThat(
            kindOf(
                () ->
                    driver.publish(table, STREAM, 6, Content.MORE_ROWS, rows, IfForgotten.REFUSE)))
        .isEqualTo(ErrorKind.UNKNOWN);

    assertThat(fixture.all()).containsExactlyInAnyOrder(60L, 61L, 999L);
  }

  /// Once the marks are read, and before the log is.
  private void afterTheMarksForget(long end) {
    fixture.store.before(
        StoreOp.LIST, key -> key.contains("/boundary/"), () -> fixture.materializeAndTrim(end));
  }

  @Test
  void outdatedWriterAddsNothingToWhatTheLogHasForgotten() {
    for (boolean deletes : new boolean[] {false, true}) {
      WalWriter writer = fixture.writer();
      fixture.append(writer, 998);
      publishAndDie(deletes ? 7 : 6, 2);
      EpochPublisher driver = driver(writer);
      logForgets();
      if (deletes) {
        fixture.deleteBelow(fixture.reader().newestBoundary().number());
      }

      assertThat(kindOf(() -> publish(driver, deletes ? 7 : 6, 2))).isEqualTo(ErrorKind.UNKNOWN);
    }

    assertThat(fixture.all()).containsExactlyInAnyOrder(998L, 60L, 61L, 999L, 998L, 70L, 71L, 999L);
  }

  @Test
  void writerThatHasForgottenWithTheLogRefusesToo() {
    WalWriter writer = fixture.writer();
    publishAndDie(6, 2);
    fixture.now = fixture.now.plus(Duration.ofHours(26));
    fixture.materializeAndTrim(LogFixture.number(fixture.append(writer, 999)));
    fixture.append(writer, 998);

    assertThat(kindOf(() -> publish(driver(writer), 6, 2))).isEqualTo(ErrorKind.UNKNOWN);

    assertThat(fixture.all()).containsExactlyInAnyOrder(60L, 61L, 999L, 998L);
  }

  @Test
  void epochThatAnotherDriverPublishesAfterTheMarksWereReadIsFoundInTheLog() {
    EpochPublisher late = driver();
    List<StagedRows> rows = staged(3, 4);
    fixture.store.before(
        StoreOp.PUT_IF_ABSENT,
        key -> key.contains("/segments/"),
        () -> {
          publish(driver(), 3, 2);
          publish(driver(), 4, 1);
        });

    late.publish(table, STREAM, 3, Content.MORE_ROWS, rows, IfForgotten.REFUSE);
    publish(driver(), 4, 2);

    assertThat(fixture.readable()).containsExactly(30L, 31L, 40L);
  }

  @Test
  void epochThatWasBegunAndNeverAppendedIsAppendedAsLongAsTheLogRemembers() {
    beginAndDie(6);
    fixture.now = fixture.now.plus(Duration.ofHours(22));
    fixture.materializeAndTrim(LogFixture.number(fixture.append(fixture.writer(), 999)));
    fixture.now = fixture.now.plus(Duration.ofHours(22));

    publish(driver(), 6, 2);

    assertThat(fixture.all()).containsExactlyInAnyOrder(999L, 60L, 61L);
  }

  @Test
  void markThatArrivesLateDoesNotHideALaterOne() {
    fixture.store.script(StoreOp.PUT, key -> key.contains("/streams/"), Toxic.DELAY);
    assertThat(kindOf(() -> publish(driver(), 1, 1))).isEqualTo(ErrorKind.UNAVAILABLE);
    publish(driver(), 1, 1);
    publish(driver(), 2, 1);
    logForgets();
    fixture.store.landAll();

    publish(driver(), 2, 1);
    publish(driver(), 1, 1);

    assertThat(fixture.all()).containsExactlyInAnyOrder(10L, 20L, 999L);
  }

  @Test
  void driverThatSleepsForDaysAddsNothingToWhatAnotherOneDid() {
    EpochPublisher sleepy = driver();
    List<StagedRows> rows = staged(1, 1);
    List<Long> expected = new ArrayList<>(List.of(999L));
    fixture.store.before(
        StoreOp.PUT_IF_ABSENT,
        key -> key.contains("/streams/"),
        () -> {
          for (long epoch = 1; epoch < 40; epoch++) {
            publish(driver(), epoch, 1);
            expected.add(epoch * 10);
          }
          logForgets();
        });

    sleepy.publish(table, STREAM, 1, Content.MORE_ROWS, rows, IfForgotten.REFUSE);
    publish(driver(), 39, 1);

    assertThat(fixture.all()).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void marksOfAStreamStayFew() {
    for (long epoch = 1; epoch < 100; epoch++) {
      publish(driver(), epoch, 1);
      assertThat(marks()).hasSizeLessThan(40);
    }
  }

  @Test
  void epochsArePublishedWhileOldMarksCannotBeDeletedWhichGoOnceTheyCanBe() {
    AtomicBoolean failing = new AtomicBoolean(true);
    List<Long> expected = new ArrayList<>();
    for (long epoch = 1; epoch < 80; epoch++) {
      fixture.store.script(
          StoreOp.DELETE, key -> failing.get() && key.contains("/streams/"), Toxic.FAIL_BEFORE);
      publish(driver(), epoch, 1);
      expected.add(epoch * 10);
    }
    assertThat(fixture.readable()).containsExactlyElementsOf(expected);
    assertThat(marks()).hasSizeGreaterThan(100);

    failing.set(false);
    publish(driver(), 80, 1);
    publish(driver(), 81, 1);

    assertThat(marks()).hasSizeLessThan(40);
  }

  @Test
  void epochThatCannotBeMarkedIsNotPublished() {
    List<StagedRows> rows = staged(1, 1);
    for (int i = 0; i < 5; i++) {
      fixture.store.script(
          StoreOp.PUT_IF_ABSENT, key -> key.contains("/streams/"), Toxic.FAIL_BEFORE);
    }

    assertThat(
            kindOf(
                () ->
                    driver()
                        .publish(table, STREAM, 1, Content.MORE_ROWS, rows, IfForgotten.REFUSE)))
        .isEqualTo(ErrorKind.UNAVAILABLE);

    assertThat(fixture.all()).isEmpty();
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

    publish(driver(), 8, 2, IfForgotten.APPEND);
    publish(driver(), 8, 2, IfForgotten.APPEND);

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
    driver().publish(table, STREAM, 0, Content.ALL_ROWS, staged(1, 2), IfForgotten.REFUSE);
    driver().publish(table, STREAM, 1, Content.ALL_ROWS, List.of(), IfForgotten.REFUSE);
    driver().publish(table, STREAM, 1, Content.ALL_ROWS, staged(2, 2), IfForgotten.REFUSE);

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

    driver.publish(table, STREAM, 0, Content.MORE_ROWS, List.of(), IfForgotten.REFUSE);

    assertThat(fixture.counted.counts()).isEmpty();
  }
}
