package io.icewal.trino;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.data.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// What a fresh read asks of the log's store.
@ExtendWith(TrinoServer.Shared.class)
class ReadRequestsTest {
  private final TrinoServer trino;
  private final TestTables tables;

  ReadRequestsTest(TrinoServer trino) {
    this.trino = trino;
    this.tables = trino.tables;
  }

  @Test
  void anEmptyTailCostsThreeRequestsATable() {
    tables.create("quiet", TestTables.KEYED);
    tables.upsert("quiet", tables.row("quiet", 1L, "x"));
    tables.materialize("quiet");
    tables.trim();
    trino.rows("SELECT count(*) FROM quiet");

    trino.logStore.reset();
    assertThat(trino.rows("SELECT count(*) FROM quiet")).containsExactly("1");

    assertThat(requests()).as(trino.logStore.counts().toString()).isLessThanOrEqualTo(3);
  }

  @Test
  void laterQueriesReadOnlyNewBlocks() {
    tables.create("busy", TestTables.KEYED);
    for (int batch = 0; batch < 20; batch++) {
      List<Record> rows = new ArrayList<>();
      for (long id = 0; id < 100; id++) {
        rows.add(tables.row("busy", batch * 100 + id, "v"));
      }
      tables.upsert("busy", rows);
    }
    trino.rows("SELECT count(*), max(v) FROM busy");

    trino.logStore.reset();
    assertThat(trino.rows("SELECT count(*), max(v) FROM busy")).containsExactly("2000|v");

    assertThat(requests()).as(trino.logStore.counts().toString()).isLessThanOrEqualTo(3);
  }

  private int requests() {
    return trino.logStore.counts().values().stream().mapToInt(Integer::intValue).sum();
  }
}
