package io.icewal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.AdoptionReport.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What others do to a table while it is looked at and adopted. The log's end is asked for after
/// the look and before the commit, so a test does there what comes in between.
final class AdoptionRaceTest {
  @TempDir private Path folder;
  private TestWarehouse warehouse;
  private BufferAllocator allocator;
  private ForeignTable foreign;
  private final Deque<HookedTable.Hook> hooks = new ArrayDeque<>();

  @BeforeEach
  void open() {
    warehouse = new TestWarehouse(folder);
    allocator = new RootAllocator();
    foreign = ForeignTable.create(warehouse, 2, IcewalTablesTest.SCHEMA);
  }

  @AfterEach
  void close() {
    allocator.close();
    warehouse.close();
  }

  private Adoption adoption() {
    return new Adoption(
        warehouse.tables(),
        new AdoptionServices(allocator, folder.resolve("spill"), 1 << 20),
        table -> HookedTable.of(table, hooks));
  }

  private AdoptionReport adopt(Function<UUID, Position> logEnd) {
    return adoption().adopt(AdoptionRequest.of(TestWarehouse.name()), logEnd);
  }

  /// The end of the log, when something happens once before it is told.
  private static Function<UUID, Position> after(Runnable first) {
    AtomicInteger calls = new AtomicInteger();
    return id -> {
      if (calls.getAndIncrement() == 0) {
        first.run();
      }
      return TestWarehouse.at(calls.get());
    };
  }

  @Test
  void whatWasAppendedAfterTheLookIsLookedAtBeforeTheCommit() {
    foreign.append(List.of(List.of(1L, "a")));

    AdoptionReport report = adopt(after(() -> foreign.append(List.of(List.of(2L, "b")))));

    assertThat(report.outcome()).isEqualTo(Outcome.ADOPTED);
    assertThat(report.rows()).isEqualTo(2);
    assertThat(report.position()).isEqualTo(TestWarehouse.at(2));
    assertThat(warehouse.rows()).containsExactly("1,a", "2,b");
  }

  @Test
  void aDuplicateThatWasAppendedAfterTheLookIsRefused() {
    foreign.append(List.of(List.of(1L, "a")));

    assertThatThrownBy(() -> adopt(after(() -> foreign.append(List.of(List.of(1L, "b"))))))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("id=1 in 2 rows");
    assertThat(TablePosition.read(warehouse.load())).isEmpty();
  }

  @Test
  void aDuplicateThatIsAppendedBetweenTheLastRefreshAndTheSwapIsRefused() {
    foreign.append(List.of(List.of(1L, "a")));
    hooks.add(HookedTable.before(() -> foreign.append(List.of(List.of(1L, "b")))));

    assertThatThrownBy(() -> adopt(id -> TestWarehouse.at(1)))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("id=1 in 2 rows");
    assertThat(TablePosition.read(warehouse.load())).isEmpty();
  }

  @Test
  void anUpdateOfAnotherEngineAfterTheLookIsNoDuplicate() {
    DataFile file = foreign.append(List.of(List.of(1L, "a"), List.of(2L, "b")));

    AdoptionReport report =
        adopt(
            after(
                () -> {
                  foreign.delete(file, 0);
                  foreign.append(List.of(List.of(1L, "updated")));
                }));

    assertThat(report.outcome()).isEqualTo(Outcome.ADOPTED);
    assertThat(warehouse.rows()).containsExactly("1,updated", "2,b");
  }

  @Test
  void filesThatWereReadAreNotReadAgainWhenOthersOnlyAppend() {
    DataFile first = foreign.append(List.of(List.of(1L, "a")));

    AdoptionReport report =
        adopt(
            after(
                () -> {
                  foreign.append(List.of(List.of(2L, "b")));
                  delete(first); // Reading it again would fail.
                }));

    assertThat(report.outcome()).isEqualTo(Outcome.ADOPTED);
    assertThat(report.dataFiles()).isEqualTo(2);
  }

  private static void delete(DataFile file) {
    try {
      Files.delete(Path.of(java.net.URI.create(file.location())));
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void aPropertyThatWasSetAfterTheLookIsJudgedToo() {
    Runnable set =
        () ->
            foreign
                .load()
                .updateProperties()
                .set(TableProperties.DEFAULT_FILE_FORMAT, "orc")
                .commit();

    assertThatThrownBy(() -> adopt(after(set)))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("write.format.default is 'orc'");
  }

  @Test
  void aColumnThatBecameTheKeyAfterTheLookIsJudgedToo() {
    foreign.append(List.of(List.of(1L, "same"), List.of(2L, "same")));
    Runnable change =
        () ->
            foreign
                .load()
                .updateSchema()
                .allowIncompatibleChanges()
                .requireColumn("v")
                .setIdentifierFields("v")
                .commit();

    assertThatThrownBy(() -> adopt(after(change)))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("v=same in 2 rows");
  }

  @Test
  void ofTwoAdoptionsOneDoesItAndBothSucceed() {
    foreign.append(List.of(List.of(1L, "a")));
    AdoptionReport[] other = new AdoptionReport[1];

    AdoptionReport report = adopt(after(() -> other[0] = adopt(id -> TestWarehouse.at(50))));

    assertThat(other[0].outcome()).isEqualTo(Outcome.ADOPTED);
    assertThat(report.outcome()).isEqualTo(Outcome.ADOPTED_BEFORE);
    assertThat(report.position()).isEqualTo(TestWarehouse.at(50));
  }

  @Test
  void ofTwoAdoptionsInTheSameSwapOneDoesItAndBothSucceed() {
    AdoptionReport[] other = new AdoptionReport[1];
    hooks.add(HookedTable.before(() -> other[0] = adopt(id -> TestWarehouse.at(50))));

    AdoptionReport report = adopt(id -> TestWarehouse.at(1));

    assertThat(other[0].outcome()).isEqualTo(Outcome.ADOPTED);
    assertThat(report.outcome()).isEqualTo(Outcome.ADOPTED_BEFORE);
    assertThat(TablePosition.valid(warehouse.load()).orElseThrow().position())
        .isEqualTo(TestWarehouse.at(50));
  }

  @Test
  void ofTwoAdoptionsWithDifferentKeysOneIsRefused() {
    foreign.load().updateSchema().allowIncompatibleChanges().requireColumn("v").commit();
    foreign.append(List.of(List.of(1L, "a")));
    AdoptionRequest byText = AdoptionRequest.of(TestWarehouse.name()).withKey(List.of("v"));
    Function<UUID, Position> first = after(() -> adopt(id -> TestWarehouse.at(50)));

    assertThatThrownBy(() -> adoption().adopt(byText, first))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("adopted already, with key [id], not [v]");
  }

  @Test
  void aCommitWhoseAnswerIsLostIsFoundAgain() {
    hooks.add(HookedTable.landsBut(CommitStateUnknownException::new));

    assertThat(adopt(id -> TestWarehouse.at(5)).outcome()).isEqualTo(Outcome.ADOPTED);
    assertThat(TablePosition.valid(warehouse.load()).orElseThrow().position())
        .isEqualTo(TestWarehouse.at(5));
  }

  @Test
  void aCommitThatIsLostIsMadeAgain() {
    hooks.add(HookedTable.fails(CommitStateUnknownException::new));
    hooks.add(HookedTable.fails(cause -> new CommitFailedException(cause, "lost")));

    assertThat(adopt(id -> TestWarehouse.at(5)).outcome()).isEqualTo(Outcome.ADOPTED);
    List<Snapshot> snapshots = new java.util.ArrayList<>();
    warehouse.load().snapshots().forEach(snapshots::add);
    assertThat(snapshots).hasSize(1);
  }

  @Test
  void aTableThatChangesUnderEveryLookIsAConflictAndLeftAlone() {
    AtomicInteger id = new AtomicInteger();

    assertThatThrownBy(
            () ->
                adopt(
                    table -> {
                      foreign.append(List.of(List.of((long) id.getAndIncrement(), "a")));
                      return TestWarehouse.at(1);
                    }))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CONFLICT))
        .hasMessageContaining("changed under each of 20 looks");
    assertThat(TablePosition.read(warehouse.load())).isEmpty();
    assertThat(warehouse.rows()).hasSize(20);
  }
}
