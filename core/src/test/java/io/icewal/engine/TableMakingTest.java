package io.icewal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.materialize.LocalExecutor;
import io.icewal.materialize.MaterializeConfig;
import io.icewal.materialize.PartServices;
import io.icewal.statement.StagedRows;
import io.icewal.statement.StatementTable;
import io.icewal.table.HookedTable;
import io.icewal.table.HookedTable.Hook;
import io.icewal.table.TablePosition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.memory.BufferAllocator;
import org.junit.jupiter.api.Test;

class TableMakingTest extends TableMakingCase {
  @Test
  void rowsOfAQueryAreInTheFirstSnapshotOneOfEachKeyAndNeverInTheLog() {
    TableMaking making = creation("made");
    StatementTable target = making.target();
    making.commit(
        List.of(stage(target, 0, 3, "a"), stage(target, 2, 5, "b"), stage(target, 4, 6, "c")));

    assertThat(rows("made")).containsExactly("0,a", "1,a", "2,b", "3,b", "4,c", "5,c");
    assertThat(others.load("made").snapshots()).hasSize(1);
    assertThat(TablePosition.valid(others.load("made"))).isPresent();
    assertThat(segments()).isZero();

    others.upsert("made", others.row("made", 5, "later"));
    others.materialize("made");
    assertThat(rows("made")).hasSize(6).contains("5,later");
  }

  @Test
  void rowsTakeThePlaceOfAllThatATableHadInFilesAndInTheLog() {
    old("replaced");
    String uuid = others.load("replaced").uuid().toString();
    TableMaking making = making("replaced", replacing("replaced"));
    making.commit(List.of(stage(making.target(), 7, 9, "new")));

    assertThat(rows("replaced")).containsExactly("7,new", "8,new");
    assertThat(others.load("replaced").uuid()).hasToString(uuid);
    others.materialize("replaced");
    assertThat(rows("replaced")).containsExactly("7,new", "8,new");
    assertThat(segments()).isEqualTo(2);
    assertThat(others.idsInLog("replaced")).containsExactly(others.load("replaced").uuid());
  }

  @Test
  void whoReadsWhileATableIsReplacedSeesOldOrNewRowsButNeverNone() throws Exception {
    old("shown");
    others.materialize("shown");
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<List<List<String>>> reads =
        CompletableFuture.supplyAsync(
            () -> {
              List<List<String>> seen = new ArrayList<>();
              do {
                seen.add(rows("shown"));
              } while (!done.get());
              return seen;
            });

    for (int round = 0; round < 10; round++) {
      TableMaking making = making("shown", replacing("shown"));
      making.commit(List.of(stage(making.target(), 7, 9, "new")));
    }
    done.set(true);

    assertThat(reads.get()).isNotEmpty().isSubsetOf(OLD, List.of("7,new", "8,new"));
  }

  @Test
  void whatOthersWriteIsTheOldTablesUntilTheCommitAndTheNewOnesFromThenOn() {
    old("meanwhile");
    TableMaking making =
        making(
            "meanwhile",
            replacing(
                "meanwhile",
                HookedTable.before(
                    () -> others.upsert("meanwhile", others.row("meanwhile", 4, "at its end")))));
    StagedRows rows = stage(making.target(), 7, 9, "new");
    others.upsert("meanwhile", others.row("meanwhile", 3, "while it ran"));
    making.commit(List.of(rows));
    others.upsert("meanwhile", others.row("meanwhile", 8, "after it"));

    others.materialize("meanwhile");
    assertThat(rows("meanwhile")).containsExactly("4,at its end", "7,new", "8,after it");
  }

  @Test
  void aRowOfTheOldKeyAfterTheCommitStopsTheTableUntilItIsReplacedOnceMore() {
    old("rekeyed");
    Hook oldKey =
        HookedTable.before(() -> others.upsert("rekeyed", others.row("rekeyed", 4, "old key")));
    TableMaking making =
        making("rekeyed", replacing("rekeyed", oldKey), List.of(), LocalExecutor::new);
    making.commit(List.of(stage(making.target(), 7, 9, "new")));
    assertThatThrownBy(() -> others.materialize("rekeyed"))
        .hasMessageContaining("has key fields [1], the table has []");

    TableMaking again = making("rekeyed", replacing("rekeyed"), List.of(), LocalExecutor::new);
    again.commit(List.of(stage(again.target(), 8, 10, "newer")));

    others.upsert("rekeyed", others.row("rekeyed", 8, "another"));
    others.materialize("rekeyed");
    assertThat(rows("rekeyed")).containsExactly("8,another", "8,newer", "9,newer");
  }

  @Test
  void ofManyLargeRowsOnlySomeAreInMemoryAtATime() throws IOException {
    for (List<String> key : List.of(List.of("id"), List.<String>of())) {
      String name = key.isEmpty() ? "large_appends" : "large_rows";
      old(name);
      List<BufferAllocator> used = new ArrayList<>();
      Path spill = Files.createDirectories(folder.resolve("spill"));
      TableMaking making =
          making(
              name,
              replacing(name),
              key,
              services -> {
                used.add(services.allocator());
                return new LocalExecutor(
                    new PartServices(
                        new MaterializeConfig(2 << 20, 1, spill),
                        services.allocator(),
                        services.manifests(),
                        services.keyPages()));
              });
      StatementTable target = making.target();
      List<StagedRows> rows = new ArrayList<>();
      for (int block = 0; block < 40; block++) {
        // Every key twice.
        int from = block % 20 * 64;
        rows.add(stage(target, from, from + 64, "x".repeat(16 << 10)));
      }
      making.commit(rows);

      // 40 MiB of rows, of which 2 MiB are worked on at a time.
      assertThat(used.get(0).getPeakMemoryAllocation()).isBetween(1L << 20, 16L << 20);
      assertThat(rows(name)).hasSize(key.isEmpty() ? 2560 : 1280);
      assertThat(spill).isEmptyDirectory();
    }
  }
}
