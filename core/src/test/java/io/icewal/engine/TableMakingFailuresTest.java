package io.icewal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.TestTables;
import io.icewal.materialize.CyclePlan;
import io.icewal.materialize.LocalExecutor;
import io.icewal.materialize.PartExecutor;
import io.icewal.materialize.PartResult;
import io.icewal.materialize.PartTask;
import io.icewal.materialize.Parts;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.statement.StagedRows;
import io.icewal.storage.FaultyObjectStore.Toxic;
import io.icewal.storage.StoreOp;
import io.icewal.table.HookedTable;
import io.icewal.table.HookedTable.Hook;
import io.icewal.table.TableStart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.RESTException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/// What becomes of a table, and of its files, when something fails.
class TableMakingFailuresTest extends TableMakingCase {
  @Test
  void whatFailsBeforeTheCommitLeavesTheOldTableAndNoFiles() {
    old("kept");
    List<Path> before = dataFiles();
    TableMaking gone = making("kept", replacing("kept"));
    StagedRows rows = stage(gone.target(), 7, 9, "new");
    store.delete(List.of(rows.block().location().object()));
    assertThatThrownBy(() -> gone.commit(List.of(rows)))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CONFLICT))
        .hasMessageContaining("staged block 0 (table s.kept");

    TableMaking cutOff =
        making(
            "kept",
            replacing("kept"),
            List.of("id"),
            services -> {
              // After the rows are read, the log is asked for its end.
              store.script(StoreOp.LIST, key -> key.contains("/segments/"), Toxic.FAIL_BEFORE);
              store.script(StoreOp.GET, key -> key.contains("/segments/"), Toxic.FAIL_BEFORE);
              return new LocalExecutor(services);
            });
    assertThatThrownBy(() -> cutOff.commit(List.of(stage(cutOff.target(), 7, 9, "new"))))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE));

    assertThat(dataFiles()).isEqualTo(before);
    assertIsTheOldOne("kept");
  }

  @Test
  void commitThatIsRefusedLeavesTheOldTableAndNoFiles() {
    old("refused");
    List<Path> before = dataFiles();
    TableMaking making =
        making(
            "refused",
            replacing("refused", HookedTable.fails(e -> new ForbiddenException(e, "not yours"))));

    assertThatThrownBy(() -> making.commit(List.of(stage(making.target(), 7, 9, "new"))))
        .isInstanceOf(ForbiddenException.class);
    assertThat(dataFiles()).isEqualTo(before);
    assertIsTheOldOne("refused");
  }

  @Test
  void filesThatCannotBeRemovedAreToldBesideTheFailure() {
    old("stuck");
    List<Path> before = dataFiles();
    // What lies where the new file was is not removed as a file.
    Hook putsFolders =
        commit -> {
          dataFiles().stream().filter(file -> !before.contains(file)).forEach(this::makeFolder);
          throw new ForbiddenException("not yours");
        };
    TableMaking making = making("stuck", replacing("stuck", putsFolders));

    assertThatThrownBy(() -> making.commit(List.of(stage(making.target(), 7, 9, "new"))))
        .isInstanceOf(ForbiddenException.class)
        .satisfies(
            e -> assertThat(e.getSuppressed()[0]).hasMessageContaining("cannot delete file:"));
    assertIsTheOldOne("stuck");
  }

  private void makeFolder(Path file) {
    try {
      Files.delete(file);
      Files.createDirectories(file.resolve("inside"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void commitWhoseAnswerIsLostHasMadeTheTableWhateverTheFailure() {
    old("unanswered");
    List<Function<Throwable, RuntimeException>> failures =
        List.of(
            CommitStateUnknownException::new,
            e -> new RESTException(e, "no answer"),
            e -> new BadRequestException("a repeat that the catalog does not take"),
            IllegalStateException::new);
    for (int i = 0; i < failures.size(); i++) {
      TableMaking making =
          making("unanswered", replacing("unanswered", HookedTable.landsBut(failures.get(i))));
      making.commit(List.of(stage(making.target(), i, i + 1, "new")));

      assertThat(rows("unanswered")).containsExactly(i + ",new");
    }
  }

  @Test
  void commitThatMayStillComeIsToldAsUnknownAndKeepsItsFiles() {
    old("unknown");
    List<RuntimeException> failures =
        List.of(
            new CommitStateUnknownException(new IllegalStateException("no answer")),
            new RESTException("no answer"),
            new IllegalStateException("no answer"));
    List<String> before = List.of("1,in a file");
    for (int i = 0; i < failures.size(); i++) {
      RuntimeException failure = failures.get(i);
      List<Runnable> late = new ArrayList<>();
      Hook later =
          commit -> {
            late.add(commit);
            throw failure;
          };
      TableMaking making = making("unknown", replacing("unknown", later));
      StagedRows rows = stage(making.target(), i, i + 1, "new");

      assertUnknown(making, rows, "does not show it").hasCause(failure);
      assertThat(rows("unknown")).isEqualTo(before);
      late.get(0).run();
      before = List.of(i + ",new");
      assertThat(rows("unknown")).isEqualTo(before);
    }
  }

  private static AbstractThrowableAssert<?, ?> assertUnknown(
      TableMaking making, StagedRows rows, String why) {
    return assertThatThrownBy(() -> making.commit(List.of(rows)))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNKNOWN))
        .hasMessageContaining("was made is not known, the catalog did not say and " + why);
  }

  @Test
  void commitThatFailsWhileTheCatalogCannotBeAskedIsUnknownAndKeepsItsFiles() {
    old("hidden");
    List<Path> before = dataFiles();
    RuntimeException unseen = new RESTException("no answer to the look");
    for (RuntimeException failure :
        List.of(new RESTException("no answer"), new ForbiddenException("not yours"))) {
      AtomicBoolean cutOff = new AtomicBoolean();
      Transaction transaction = replacing("hidden");
      TableIdentifier name = TestTables.name("hidden");
      TableStart.prepare(name, transaction, List.of("id"));
      Hook fails =
          commit -> {
            cutOff.set(true);
            throw failure;
          };
      TableMaking making =
          new TableMaking(
              name,
              transaction,
              () -> {
                if (cutOff.get()) {
                  throw unseen;
                }
                return HookedTable.of(others.load("hidden"), fails);
              },
              log);
      StagedRows rows = stage(making.target(), 7, 9, "new");

      assertUnknown(making, rows, "cannot be asked").hasCause(failure);
      assertThat(failure).hasSuppressedException(unseen);
    }
    assertThat(dataFiles()).hasSize(before.size() + 2).containsAll(before);
    assertIsTheOldOne("hidden");
  }

  @Test
  void anErrorAfterTheCommitKeepsTheFilesOfTheTableThatWasMade() {
    old("stopped");
    AssertionError error = new AssertionError("while the answer was read");
    TableMaking making =
        making(
            "stopped",
            replacing(
                "stopped",
                commit -> {
                  commit.run();
                  throw error;
                }));
    StagedRows rows = stage(making.target(), 7, 9, "new");

    assertThatThrownBy(() -> making.commit(List.of(rows))).isSameAs(error);
    assertThat(rows("stopped")).containsExactly("7,new", "8,new");
  }

  /// Which no longer shows whether the answer was to a repeat.
  @Test
  void aRefusalIsUnknownAndFilesAreKeptIfTheTableIsNotThereAnyMore() {
    old("moved");
    TableMaking making =
        making(
            "moved",
            replacing(
                "moved",
                commit -> {
                  commit.run();
                  others
                      .catalog()
                      .renameTable(TestTables.name("moved"), TestTables.name("moved_to"));
                  throw new NoSuchTableException("a repeat that does not find it");
                }));
    StagedRows rows = stage(making.target(), 7, 9, "new");

    assertUnknown(making, rows, "does not show it");
    assertThat(rows("moved_to")).containsExactly("7,new", "8,new");
  }

  @Test
  void newTableWhoseAnswerIsLostIsMadeAndKeepsItsFiles() {
    Transaction begun = creating("answered_400");
    BaseTransaction made = (BaseTransaction) begun;
    Table hooked =
        HookedTable.of(
            new BaseTable(made.underlyingOps(), "answered_400"),
            HookedTable.landsBut(e -> new BadRequestException("a repeat")));
    TableMaking making =
        making(
            "answered_400",
            Transactions.createTableTransaction(
                "answered_400",
                ((HasTableOperations) hooked).operations(),
                made.currentMetadata()));
    making.commit(List.of(stage(making.target(), 7, 9, "new")));

    assertThat(rows("answered_400")).containsExactly("7,new", "8,new");
  }

  @Test
  void tableThatAnotherMadeFirstIsToldAsThere() {
    TableMaking making = creation("raced");
    StagedRows rows = stage(making.target(), 7, 9, "new");
    old("raced");

    List<Path> before = dataFiles();
    assertThatThrownBy(() -> making.commit(List.of(rows)))
        .isInstanceOf(AlreadyExistsException.class);
    assertThat(dataFiles()).isEqualTo(before);
    assertIsTheOldOne("raced");
  }

  @Test
  void whatFailsAfterTheFilesAreWrittenLeavesNoFiles() {
    old("unclosed");
    List<Path> before = dataFiles();
    for (Throwable failure :
        List.of(new IllegalStateException("not closed"), new AssertionError("not closed"))) {
      TableMaking making =
          making(
              "unclosed",
              replacing("unclosed"),
              List.of("id"),
              services -> new FailsToClose(new LocalExecutor(services), failure));

      assertThatThrownBy(() -> making.commit(List.of(stage(making.target(), 7, 9, "new"))))
          .isSameAs(failure);
      assertThat(dataFiles()).isEqualTo(before);
    }
    assertIsTheOldOne("unclosed");
  }

  /// Its work is done, but closing it fails.
  private record FailsToClose(PartExecutor executor, Throwable failure) implements PartExecutor {
    @Override
    public long cycleBytesMax() {
      return executor.cycleBytesMax();
    }

    @Override
    public long cycleRowsMax() {
      return executor.cycleRowsMax();
    }

    @Override
    public Parts begin(CyclePlan plan) {
      Parts parts = executor.begin(plan);
      return new Parts() {
        @Override
        public List<PartResult> run(PartTask task, Table now) {
          return parts.run(task, now);
        }

        @Override
        public void close() {
          parts.close();
          if (failure instanceof Error error) {
            throw error;
          }
          throw (RuntimeException) failure;
        }
      };
    }
  }
}
