package io.icewal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.RestCatalogServer;
import io.icewal.TestTables;
import io.icewal.materialize.LocalExecutor;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.statement.StagedRows;
import io.icewal.table.HookedTable;
import io.icewal.table.HookedTable.Hook;
import io.icewal.table.TablePosition;
import io.icewal.table.TableStart;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What others do to a table while a statement replaces it, and in the moment when it does.
class TableReplacementRaceTest extends TableMakingCase {
  private static final Schema WIDER =
      new Schema(
          NestedField.required(1, "id", Types.IntegerType.get()),
          NestedField.optional(2, "v", Types.StringType.get()),
          NestedField.optional(3, "w", Types.StringType.get()));

  /// More rows, which a runner materializes, and trims the log behind.
  private void others(String name) {
    others.upsert(name, others.row(name, 3, "meanwhile"));
    others.materialize(name);
    others.trim();
  }

  private void assertIsNew(String name) {
    assertThat(rows(name)).containsExactly("7,new", "8,new");
    assertThat(TablePosition.valid(others.load(name))).isPresent();
    others.upsert(name, others.row(name, 8, "later"));
    others.materialize(name);
    assertThat(rows(name)).containsExactly("7,new", "8,later");
  }

  @Test
  void aTableThatWasMaterializedWhileTheStatementRanIsReplacedAsItIsAtItsEnd() {
    old("long");
    TableMaking making = making("long", replacing("long"));
    StagedRows rows = stage(making.target(), 7, 9, "new");
    others("long");
    making.commit(List.of(rows));

    assertIsNew("long");
  }

  /// Which checks itself what a commit begins with.
  @Test
  void aTableOfARestCatalogThatWasMaterializedMeanwhileIsReplacedToo() throws Exception {
    old("by_rest");
    try (RestCatalogServer server = new RestCatalogServer(others.catalog());
        RESTCatalog rest = new RESTCatalog()) {
      rest.initialize(
          "rest",
          Map.of(
              CatalogProperties.URI,
              server.uri(),
              CatalogProperties.FILE_IO_IMPL,
              others.load("by_rest").io().getClass().getName()));
      TableIdentifier name = TestTables.name("by_rest");
      Transaction transaction =
          rest.buildTable(name, SCHEMA)
              .withProperties(Map.of("format-version", "3"))
              .replaceTransaction();
      TableStart.prepare(name, transaction, List.of("id"));
      AtomicInteger loads = new AtomicInteger();
      TableMaking making =
          new TableMaking(
              name,
              transaction,
              () -> {
                Table table = rest.loadTable(name);
                return loads.incrementAndGet() > 1
                    ? table
                    : HookedTable.of(table, HookedTable.before(() -> others("by_rest")));
              },
              log);
      StagedRows rows = stage(making.target(), 7, 9, "new");
      others("by_rest");
      making.commit(List.of(rows));

      assertThat(loads).hasValueGreaterThan(1);
      assertIsNew("by_rest");
    }
  }

  @Test
  void whoIsFasterAtTheCommitIsReplacedTooAndWhatWasPreparedIsRemoved() {
    old("raced");
    Hook faster = HookedTable.before(() -> others("raced"));
    List<Path> before = files("");
    TableMaking making = making("raced", replacing("raced", faster, faster));
    making.commit(List.of(stage(making.target(), 7, 9, "new")));

    assertNewOnesAreNamed("raced", before, files(".avro"));
    assertIsNew("raced");
  }

  /// That a snapshot of the table names all files but those that were there before.
  private void assertNewOnesAreNamed(String name, List<Path> before, List<Path> files) {
    Table table = others.load(name);
    Set<String> named = new HashSet<>();
    before.forEach(file -> named.add(file.getFileName().toString()));
    for (Snapshot snapshot : table.snapshots()) {
      named.add(snapshot.manifestListLocation());
      snapshot.allManifests(table.io()).forEach(manifest -> named.add(manifest.path()));
      snapshot.addedDataFiles(table.io()).forEach(file -> named.add(file.location()));
    }
    named.addAll(named.stream().map(path -> path.substring(path.lastIndexOf('/') + 1)).toList());
    assertThat(files).map(file -> file.getFileName().toString()).isSubsetOf(named);
  }

  @Test
  void aTableThatOthersChangeEachTimeIsLeftToThemWithoutFiles() {
    old("busy");
    Hook faster = HookedTable.before(() -> others("busy"));
    TableMaking making =
        making("busy", replacing("busy", Collections.nCopies(10, faster).toArray(new Hook[0])));

    assertIsToldAsConflict("busy", making, "others changed table s.busy each time");
    assertThat(hooks).isEmpty();
    others.materialize("busy");
    assertThat(rows("busy")).containsExactly("1,in a file", "2,in the log", "3,meanwhile");
  }

  private void assertIsToldAsConflict(String name, TableMaking making, String message) {
    StagedRows rows = stage(making.target(), 7, 9, "new");
    List<Path> before = dataFiles();
    assertThatThrownBy(() -> making.commit(List.of(rows)))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CONFLICT))
        .hasMessageContaining(message);
    assertNewOnesAreNamed(name, before, dataFiles());
  }

  @Test
  void columnsThatOthersAddMeanwhileGoWithTheOldTable() {
    old("widened");
    TableMaking making = making("widened", replacing("widened"));
    StagedRows rows = stage(making.target(), 7, 9, "new");
    others.load("widened").updateSchema().addColumn("x", Types.StringType.get()).commit();
    making.commit(List.of(rows));

    assertThat(others.load("widened").schema().columns()).hasSize(2);
    assertIsNew("widened");
  }

  @Test
  void columnsThatOthersGiveTheIdsOfItsOwnAreAConflict() {
    assertConflict(
        "taken",
        table -> table.updateSchema().addColumn("x", Types.StringType.get()).commit(),
        "columns or partitioning of table s.taken were changed");
  }

  @Test
  void propertiesThatOthersChangeMeanwhileAreAsTheyLeaveThem() {
    old("told");
    others
        .load("told")
        .updateProperties()
        .set("changed", "a")
        .set("unset", "a")
        .set("statement's", "a")
        .commit();
    Transaction transaction = replacing("told");
    transaction.updateProperties().set("statement's", "s").set("new", "s").commit();
    TableMaking making = making("told", transaction);
    StagedRows rows = stage(making.target(), 7, 9, "new");
    others
        .load("told")
        .updateProperties()
        .set("changed", "b")
        .remove("unset")
        .set("added", "b")
        .set("statement's", "b")
        .commit();
    making.commit(List.of(rows));

    assertThat(others.load("told").properties())
        .containsEntry("changed", "b")
        .containsEntry("added", "b")
        .containsEntry("statement's", "s")
        .containsEntry("new", "s")
        .doesNotContainKey("unset");
    assertIsNew("told");
  }

  /// As Trino does, which lets a table begin with its own properties alone.
  @Test
  void propertiesThatTheStatementDropsAreGoneWhateverOthersDo() {
    old("dropping");
    String place = others.load("dropping").location() + "/elsewhere";
    others.load("dropping").updateProperties().set("write.data.path", place).commit();
    Transaction transaction = replacing("dropping");
    UpdateProperties dropping = transaction.updateProperties();
    transaction.table().properties().keySet().forEach(dropping::remove);
    dropping.commit();
    TableMaking making = making("dropping", transaction);
    StagedRows rows = stage(making.target(), 7, 9, "new");
    others("dropping");
    making.commit(List.of(rows));

    assertThat(others.load("dropping").properties())
        .doesNotContainKeys("write.data.path", "write.parquet.compression-codec");
    assertIsNew("dropping");
  }

  @Test
  void aTableThatIsAnotherOneByThenIsAConflict() {
    assertConflict(
        "swapped",
        table -> {
          others.catalog().dropTable(TestTables.name("swapped"), /* purge= */ false);
          old("swapped");
        },
        "table s.swapped is another one than when a statement began to replace it");
  }

  private void assertConflict(String name, Consumer<Table> change, String message) {
    others.create(name, new Schema(SCHEMA.columns(), Set.of(1)));
    TableMaking making = making(name, replacing(name, WIDER));
    change.accept(others.load(name));
    assertIsToldAsConflict(name, making, message);
  }

  @Test
  void aTableThatIsDroppedMeanwhileStaysDropped() {
    old("dropped");
    List<Path> before = dataFiles();
    TableMaking making = making("dropped", replacing("dropped"));
    StagedRows rows = stage(making.target(), 7, 9, "new");
    others.catalog().dropTable(TestTables.name("dropped"), /* purge= */ false);

    assertThatThrownBy(() -> making.commit(List.of(rows)))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CONFLICT))
        .hasMessageContaining("table s.dropped was dropped while a statement replaced it");
    assertThat(dataFiles()).isEqualTo(before);
    assertThat(others.catalog().tableExists(TestTables.name("dropped"))).isFalse();
  }

  /// As Spark writes rows of a table without key.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void filesThatAnEngineAddedItselfAreTakenOverWithRowIdsOfTheirOwn(boolean materialized)
      throws IOException {
    String name = materialized ? "engines" : "engines_alone";
    others.create("source", SCHEMA);
    others.upsert("source", others.row("source", 7, "new"), others.row("source", 8, "new"));
    others.materialize("source");
    Table source = others.load("source");
    DataFile file =
        DataFiles.builder(PartitionSpec.unpartitioned())
            .copy(source.currentSnapshot().addedDataFiles(source.io()).iterator().next())
            .withFirstRowId(null)
            .build();
    old(name);
    Transaction transaction = replacing(name);
    TableMaking making = making(name, transaction, List.of(), LocalExecutor::new);
    transaction.newAppend().appendFile(file).commit();
    if (materialized) {
      others(name);
    }
    long firstRowId = nextRowId(name);
    making.commit(List.of());

    assertThat(rows(name)).containsExactly("7,new", "8,new");
    Table table = others.load(name);
    try (CloseableIterable<FileScanTask> files = table.newScan().planFiles()) {
      assertThat(files).extracting(task -> task.file().firstRowId()).containsExactly(firstRowId);
    }
    assertThat(nextRowId(name)).isEqualTo(firstRowId + 2);
  }

  @Test
  void filesThatAnEngineAddedItselfAreRemovedIfTheStatementFails() {
    old("engines_dropped");
    List<Path> before = files("");
    Transaction transaction = replacing("engines_dropped");
    TableMaking making = making("engines_dropped", transaction, List.of(), LocalExecutor::new);
    transaction.newAppend().appendFile(copy(transaction.table())).commit();
    others.catalog().dropTable(TestTables.name("engines_dropped"), /* purge= */ false);

    assertThatThrownBy(() -> making.commit(List.of())).hasMessageContaining("was dropped");
    assertThat(files("")).isEqualTo(before);
  }

  /// One of a replaced table's files once more, in the new table's folder.
  private static DataFile copy(Table table) {
    Snapshot old = table.snapshots().iterator().next();
    for (Snapshot snapshot : table.snapshots()) {
      old = snapshot.addedDataFiles(table.io()).iterator().hasNext() ? snapshot : old;
    }
    DataFile file = old.addedDataFiles(table.io()).iterator().next();
    String location = table.locationProvider().newDataLocation("copy.parquet");
    try (SeekableInputStream in = table.io().newInputFile(file).newStream();
        OutputStream out = table.io().newOutputFile(location).create()) {
      in.transferTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .copy(file)
        .withPath(location)
        .withFirstRowId(null)
        .build();
  }

  @Test
  void rowsThatAnEngineHoldsBackAreRefused() {
    old("held_back");
    Transaction transaction = replacing("held_back");
    TableMaking making = making("held_back", transaction, List.of(), LocalExecutor::new);
    transaction.newAppend().appendFile(copy(transaction.table())).stageOnly().commit();

    assertThatThrownBy(() -> making.commit(List.of()))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID));
    assertIsTheOldOne("held_back");
  }

  private long nextRowId(String name) {
    return ((HasTableOperations) others.load(name)).operations().current().nextRowId();
  }
}
