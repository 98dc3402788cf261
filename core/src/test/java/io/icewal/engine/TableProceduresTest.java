package io.icewal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.config.IcewalConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.IcewalTables;
import io.icewal.wal.Pause;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableProceduresTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(NestedField.required(1, "id", Types.IntegerType.get())), java.util.Set.of(1));

  @TempDir private Path folder;
  private TestTables others;
  private TestLog log;

  @BeforeEach
  void open() {
    others = new TestTables(folder);
    log = new TestLog(IcewalConfig.embedded(folder).openLogStore());
  }

  @AfterEach
  void close() {
    log.close();
    others.close();
  }

  private IcewalTables tables() {
    return new IcewalTables(others.catalog());
  }

  @Test
  void flushReturnsOnceARunnerHasTakenTheTableBeyondIt() {
    others.create("t", SCHEMA);
    Position last = others.upsert("t", others.row("t", 1));
    List<Duration> pauses = new ArrayList<>();
    Pause pause =
        duration -> {
          pauses.add(duration);
          if (pauses.size() == 2) {
            others.materialize("t");
          }
        };

    Position reached =
        new TableProcedures(log, pause, 5).flush(tables(), TestTables.name("t"), "statement");

    assertThat(pauses).hasSize(2);
    assertThat(reached.number()).isGreaterThan(last.number());
  }

  @Test
  void flushGivesUpWithoutARunner() {
    others.create("t", SCHEMA);
    List<Duration> pauses = new ArrayList<>();

    assertThatThrownBy(
            () ->
                new TableProcedures(log, pauses::add, 5)
                    .flush(tables(), TestTables.name("t"), "statement"))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
        .hasMessageContaining("s.t was not materialized in 1 s");
    assertThat(pauses).hasSize(6);
  }

  @Test
  void materializeTellsWhatItDid() {
    others.create("t", SCHEMA);
    others.upsert("t", others.row("t", 1));
    Position last = others.upsert("t", others.row("t", 1), others.row("t", 2));
    TableProcedures procedures = new TableProcedures(log);

    assertThat(procedures.materialize(tables(), TestTables.name("t")))
        .isEqualTo(new Materialized(3, 1, last));
    assertThat(procedures.materialize(tables(), TestTables.name("t")))
        .isEqualTo(new Materialized(0, 0, last));
  }
}
