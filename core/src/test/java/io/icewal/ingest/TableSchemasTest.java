package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.time.Duration;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
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
}
