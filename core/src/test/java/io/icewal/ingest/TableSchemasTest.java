package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TableSchemasTest {
  private static final Schema SCHEMA = Harness.column(Types.LongType.get());

  private final SettableClock clock = new SettableClock();
  private final TableSchemas tables = new TableSchemas(this::load, clock);
  private int loads;
  private @Nullable RuntimeException failure;

  private IngestTable load(TableIdentifier name) {
    loads++;
    if (failure != null) {
      throw failure;
    }
    return Harness.table(SCHEMA);
  }

  @Test
  void aTableIsLoadedOnceAMinute() {
    for (int second = 0; second <= 60; second++) {
      tables.current(Harness.NAME);
      clock.advance(Duration.ofSeconds(1));
    }
    assertThat(loads).isEqualTo(2);
    tables.forget(Harness.NAME);
    tables.current(Harness.NAME);
    assertThat(loads).isEqualTo(3);
  }

  @Test
  void whileTheCatalogIsDownKnownTablesGoOnAndUnknownOnesAreUnavailable() {
    IngestTable known = tables.current(Harness.NAME);
    failure = new IllegalStateException("connection refused");
    for (int minute = 0; minute < 10; minute++) {
      clock.advance(Duration.ofMinutes(1));
      assertThat(tables.current(Harness.NAME)).isEqualTo(known);
    }
    assertThatThrownBy(() -> tables.current(TableIdentifier.of("ns", "other")))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
        .hasMessageContaining("connection refused");
    int before = loads;
    tables.current(Harness.NAME);
    tables.current(Harness.NAME);
    assertThat(loads).as("a catalog that is down is asked rarely").isEqualTo(before);
  }

  /// Case b139: the catalog's token has ended. Known tables go on, and others do once it is
  /// renewed.
  @Test
  void b139_aCatalogThatDoesNotKnowUsAnyMoreStopsNoKnownTable() {
    IngestTable known = tables.current(Harness.NAME);
    failure = new NotAuthorizedException("token expired");
    clock.advance(Duration.ofMinutes(2));

    assertThat(tables.current(Harness.NAME)).isEqualTo(known);
    TableIdentifier other = TableIdentifier.of("ns", "other");
    assertThatThrownBy(() -> tables.current(other))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
        .hasMessageContaining("token expired");
    failure = null;
    clock.advance(Duration.ofSeconds(10));
    assertThat(tables.current(other)).isNotNull();
  }

  @Test
  void aCatalogThatNeverAnswersHoldsUpOneCallerOnly() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    boolean[] hangs = new boolean[1];
    TableSchemas slow =
        new TableSchemas(
            name -> {
              if (hangs[0]) {
                asked.countDown();
                awaitCalmly(answered);
              }
              return Harness.table(SCHEMA);
            },
            clock);
    IngestTable known = slow.current(Harness.NAME);
    hangs[0] = true;
    clock.advance(Duration.ofMinutes(2));
    Thread held = new Thread(() -> slow.current(Harness.NAME));
    held.start();
    asked.await();

    for (int minute = 0; minute < 5; minute++) {
      assertThat(slow.current(Harness.NAME)).isSameAs(known);
      clock.advance(Duration.ofMinutes(1));
    }
    assertThat(held.isAlive()).isTrue();
    answered.countDown();
    held.join();
    assertThat(slow.current(Harness.NAME)).isNotSameAs(known);
  }

  @Test
  void aDroppedTableIsForgotten() {
    tables.current(Harness.NAME);
    failure = new org.apache.iceberg.exceptions.NoSuchTableException("gone");
    clock.advance(Duration.ofMinutes(2));
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> tables.current(Harness.NAME))
          .isInstanceOfSatisfying(
              IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID))
          .hasMessageContaining("no such table: ns.t");
    }
    failure = new IllegalStateException("down");
    assertThatThrownBy(() -> tables.current(Harness.NAME))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE));
  }

  private static void awaitCalmly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
