package io.icewal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.model.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// What adoption refuses, and what it says about it.
final class AdoptionRefusalTest {
  private static final Function<UUID, Position> END = id -> TestWarehouse.at(7);
  private static final Schema SCHEMA = IcewalTablesTest.SCHEMA;

  /// Everything optional.
  private static final Schema OPTIONAL =
      new Schema(
          NestedField.optional(1, "id", Types.LongType.get()),
          NestedField.optional(2, "v", Types.StringType.get()));

  @TempDir private Path folder;
  private TestWarehouse warehouse;
  private BufferAllocator allocator;
  private Adoption adoption;

  @BeforeEach
  void open() {
    warehouse = new TestWarehouse(folder);
    allocator = new RootAllocator();
    adoption = new Adoption(warehouse.tables(), allocator, folder.resolve("spill"));
  }

  @AfterEach
  void close() {
    allocator.close();
    warehouse.close();
  }

  @Test
  void liveEqualityDeletesAreRefusedAndNamed() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SCHEMA);
    DataFile file = foreign.append(List.of(List.of(1L, "a"), List.of(2L, "b")));
    String deletes = foreign.deleteByEquality("v", "b").location();

    assertThat(refusal(request()))
        .satisfies(verdict -> assertThat(verdict.rule()).isEqualTo("equality-deletes"))
        .satisfies(
            verdict ->
                assertThat(verdict.message()).contains("1 equality", deletes, file.location()));
  }

  @Test
  void equalityDeletesThatNoLongerApplyAreNoObstacle() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SCHEMA);
    DataFile file = foreign.append(List.of(List.of(1L, "a"), List.of(2L, "b")));
    foreign.deleteByEquality("v", "b");
    DataFile rewritten = foreign.write(FileFormat.PARQUET, null, List.of(List.of(1L, "a")));
    Table table = foreign.load();
    table
        .newRewrite()
        .validateFromSnapshot(table.currentSnapshot().snapshotId())
        .deleteFile(file)
        .addFile(rewritten)
        .commit();

    adoption.adopt(request(), END);

    assertThat(warehouse.rows()).containsExactly("1,a");
  }

  @Test
  void keyColumnsThatCannotBeOneAreRefusedByName() {
    Schema schema =
        new Schema(
            NestedField.required(1, "f", Types.FloatType.get()),
            NestedField.required(2, "d", Types.DoubleType.get()),
            NestedField.required(
                3,
                "l",
                Types.ListType.ofRequired(
                    4, Types.StructType.of(NestedField.required(5, "x", Types.LongType.get())))),
            NestedField.required(
                6,
                "m",
                Types.MapType.ofRequired(7, 8, Types.StringType.get(), Types.LongType.get())),
            NestedField.required(
                9, "s", Types.StructType.of(NestedField.required(10, "y", Types.LongType.get()))));
    ForeignTable.create(warehouse, 2, schema);

    List<Verdict> refusals =
        refusals(request().withKey(List.of("f", "d", "l.element.x", "m.key", "m", "s", "nope")));

    assertThat(refusals).allMatch(verdict -> verdict.rule().equals("key-column"));
    assertThat(refusals)
        .extracting(Verdict::column)
        .containsExactly("f", "d", "l.element.x", "m.key", "m", "s", "nope");
    assertThat(refusals.get(0).message()).contains("'f'", "float");
    assertThat(refusals.get(2).message()).contains("inside a list");
    assertThat(refusals.get(3).message()).contains("inside a map");
    assertThat(refusals.get(6).message()).contains("no such column", "f, d, l, m, s");
  }

  @Test
  void anOptionalKeyColumnIsRefusedWithTheWayOut() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, OPTIONAL);
    foreign.append(List.of(List.of(1L, "a")));

    Verdict refusal = refusal(request().withKey(List.of("id")));

    assertThat(refusal.rule()).isEqualTo("key-optional");
    assertThat(refusal.column()).isEqualTo("id");
    assertThat(refusal.message()).contains("--require-key");
  }

  @Test
  void nullsInTheKeyAreCountedAndExamplesNamed() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, OPTIONAL);
    DataFile first = foreign.append(List.of(row(1L, "a"), row(null, "b"), row(null, null)));
    foreign.append(List.of(row(4L, null), row(null, "d"), row(null, "e")));

    List<Verdict> refusals = refusals(request().withKey(List.of("id", "v")).requiringKey());

    assertThat(refusals).extracting(Verdict::rule).containsOnly("key-null");
    assertThat(refusals.get(0).column()).isEqualTo("id");
    assertThat(refusals.get(0).message())
        .startsWith("4 rows have a null in key column 'id'")
        .contains("row 1 of " + first.location(), ", such as: ");
    assertThat(refusals.get(1).column()).isEqualTo("v");
    assertThat(refusals.get(1).message()).startsWith("2 rows");
  }

  @Test
  void optionalColumnsAndTheirNullsAreToldAtOnce() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, OPTIONAL);
    foreign.append(List.of(row(null, "b"), row(2L, "b"), row(2L, "c")));

    assertThat(refusals(request().withKey(List.of("id"))))
        .extracting(Verdict::rule)
        .containsExactly("key-optional", "key-null", "key-duplicate");
  }

  @ParameterizedTest
  @CsvSource({"2", "3"})
  void deletedRowsMayHaveNullsAndDuplicates(int version) {
    ForeignTable foreign = ForeignTable.create(warehouse, version, OPTIONAL);
    DataFile file =
        foreign.append(List.of(row(1L, "a"), row(null, "b"), row(1L, "c"), row(2L, "d")));
    foreign.delete(file, 1, 2);

    adoption.adopt(request().withKey(List.of("id")).requiringKey(), END);

    assertThat(warehouse.rows()).containsExactly("1,a", "2,d");
  }

  @Test
  void duplicateKeysAreCountedAndTheirRowsNamed() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SCHEMA);
    DataFile first = foreign.append(List.of(row(5L, "a"), row(1L, "b"), row(5L, "c")));
    DataFile second = foreign.append(List.of(row(1L, "d"), row(5L, "e"), row(2L, "f")));

    Verdict refusal = refusal(request());

    assertThat(refusal.rule()).isEqualTo("key-duplicate");
    assertThat(refusal.value()).isEqualTo("id=1");
    assertThat(refusal.message())
        .startsWith("2 keys are in more than one row, 3 rows too many")
        .contains(
            "id=1 in 2 rows (", "row 1 of " + first.location(), "row 0 of " + second.location())
        .contains("id=5 in 3 rows (", "row 2 of " + first.location());
  }

  @Test
  void duplicatesAreFoundInSpilledRunsToo() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SCHEMA);
    for (int file = 0; file < 5; file++) {
      List<List<Object>> rows = new ArrayList<>();
      for (long id = 0; id < 100; id++) {
        rows.add(List.of(id * 5 + file, "v"));
      }
      foreign.append(rows);
    }
    foreign.append(List.of(row(250L, "again")));
    Adoption spilling =
        new Adoption(
            warehouse.tables(),
            new AdoptionServices(allocator, folder.resolve("spill"), 300),
            table -> table);

    List<Verdict> refusals = spilling.check(request(), END).refusals();

    assertThat(refusals)
        .singleElement()
        .satisfies(verdict -> assertThat(verdict.value()).isEqualTo("id=250"));
    assertThat(folder.resolve("spill")).isEmptyDirectory();
  }

  @Test
  void columnsThatIcewalDoesNotTakeAreRefused() {
    createWith(3, "x", Types.VariantType.get());
    assertThat(refusal(request()).message()).contains("'x'", "variant");
    warehouse.catalog().dropTable(TestWarehouse.name());
    createWith(2, "_op", Types.StringType.get());
    assertThat(refusal(request()).message()).contains("'_op'", "reserved");
  }

  @ParameterizedTest
  @EnumSource(
      value = FileFormat.class,
      names = {"AVRO", "ORC"})
  void filesOfOtherFormatsAreRefusedUnderAKey(FileFormat format) {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SCHEMA);
    DataFile file = foreign.append(format, null, List.of(row(1L, "a")));

    Verdict refusal = refusal(request());

    assertThat(refusal.rule()).isEqualTo("file-format");
    assertThat(refusal.message()).contains("1 data files", file.location(), format.name());
  }

  @Test
  void filesThatAreGoneOrOfOtherTypesAreRefused() throws Exception {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SCHEMA);
    DataFile gone = foreign.append(List.of(row(1L, "a")));
    Files.delete(Path.of(java.net.URI.create(gone.location())));
    assertThat(refusal(request()).message())
        .contains("1 data files cannot be read", gone.location());

    foreign.load().newDelete().deleteFile(gone).commit();
    DataFile other =
        TestWarehouse.write(
            foreign.load(),
            new Schema(
                NestedField.required(1, "id", Types.StringType.get()),
                NestedField.optional(2, "v", Types.StringType.get())),
            List.of(List.of("one", "a")));
    foreign.load().newAppend().appendFile(other).commit();
    assertThat(refusal(request()))
        .satisfies(verdict -> assertThat(verdict.rule()).isEqualTo("file-unreadable"))
        .satisfies(verdict -> assertThat(verdict.message()).contains("column id", "binary"));
  }

  @Test
  void encryptedFilesAndTablesAreRefused() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SCHEMA);
    DataFile plain = foreign.write(FileFormat.PARQUET, null, List.of(row(1L, "a")));
    foreign
        .load()
        .newAppend()
        .appendFile(
            DataFiles.builder(PartitionSpec.unpartitioned())
                .copy(plain)
                .withEncryptionKeyMetadata(java.nio.ByteBuffer.wrap(new byte[] {1}))
                .build())
        .commit();

    assertThat(refusal(request()).rule()).isEqualTo("encryption");
  }

  @ParameterizedTest
  @CsvSource({
    "write.format.default,ORC,upserts cannot look",
    "encryption.key-id,k1,encrypted",
    "commit.retry.num-retries,many,whole number",
    "write.location-provider.impl,no.such.Provider,where data files go",
    "icewal.position,0/200,remove it to begin anew",
  })
  void propertiesThatWouldBreakItAreRefused(String name, String value, String why) {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SCHEMA);
    setProperty(foreign.load(), name, value);

    assertThat(refusals(request()))
        .anySatisfy(
            verdict -> {
              assertThat(verdict.rule()).isEqualTo("property");
              assertThat(verdict.value()).isEqualTo(value);
              assertThat(verdict.message()).contains(name, value, why);
            });
  }

  /// Past Iceberg's own commit, which would stumble over some of them.
  private static void setProperty(Table table, String name, String value) {
    org.apache.iceberg.TableOperations operations =
        ((org.apache.iceberg.HasTableOperations) table).operations();
    Map<String, String> properties = new java.util.HashMap<>(table.properties());
    properties.put(name, value);
    operations.commit(operations.current(), operations.current().replaceProperties(properties));
  }

  @Test
  void parquetInCapitalsIsParquet() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SCHEMA);
    foreign.load().updateProperties().set(TableProperties.DEFAULT_FILE_FORMAT, "PARQUET").commit();

    assertThat(adoption.check(request(), END).refusals()).isEmpty();
    assertThat(adoption.check(request(), END).warnings()).isEmpty();
  }

  @Test
  void anUnreadableNameMappingIsRefused() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SCHEMA);
    setProperty(foreign.load(), TableProperties.DEFAULT_NAME_MAPPING, "[{");

    assertThat(refusal(request()).rule()).isEqualTo("name-mapping");
  }

  @Test
  void aTransformThatIsNotKnownIsRefused() {
    PartitionSpec spec =
        PartitionSpecParser.fromJson(
            SCHEMA,
            "{\"spec-id\":0,\"fields\":[{\"name\":\"z\",\"transform\":\"zorder\",\"source-id\":1,"
                + "\"field-id\":1000}]}");
    ForeignTable.create(warehouse.catalog(), TestWarehouse.name(), 2, SCHEMA, spec, Map.of());

    assertThat(refusal(request()).message()).contains("zorder", "not known");
  }

  @Test
  void aFormatVersionThatIsNotKnownIsRefused() {
    ForeignTable.create(warehouse, 4, SCHEMA);

    assertThat(refusal(request()).message()).contains("format version 4");
  }

  @Test
  void anAdoptedTableIsNotGivenAnotherKeyOrLog() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, SCHEMA);
    foreign.append(List.of(row(1L, "a")));
    adoption.adopt(request(), END);

    assertThat(refusal(request().withKey(List.of("v"))).message())
        .contains("adopted already", "[id]", "[v]");
    Function<UUID, Position> other = id -> new LogName(new UUID(3, 4), 1, 0).at(1);
    assertThat(adoption.check(request(), other).refusals())
        .singleElement()
        .satisfies(
            verdict ->
                assertThat(verdict.message())
                    .contains(TestWarehouse.LOG.toString(), TablePosition.PROPERTY));
    assertThat(TablePosition.valid(warehouse.load()).orElseThrow().position())
        .isEqualTo(TestWarehouse.at(7));
  }

  @Test
  void adoptionSaysAllReasonsInItsErrorAndChangesNothing() {
    ForeignTable foreign = ForeignTable.create(warehouse, 2, OPTIONAL);
    foreign.append(List.of(row(1L, "a"), row(1L, "b")));
    foreign.load().updateProperties().set(TableProperties.DEFAULT_FILE_FORMAT, "avro").commit();
    String before = TablePosition.metadata(foreign.load()).metadataFileLocation();

    assertThatThrownBy(() -> adoption.adopt(request().withKey(List.of("id")), END))
        .isInstanceOfSatisfying(
            IcewalException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(ErrorKind.INVALID);
              assertThat(e.verdicts())
                  .extracting(Verdict::rule)
                  .containsExactlyInAnyOrder("property", "key-optional", "key-duplicate");
            })
        .hasMessageContaining("table ns.t cannot be adopted: ");
    assertThat(TablePosition.metadata(foreign.load()).metadataFileLocation()).isEqualTo(before);
  }

  @Test
  void aTableThatIsNotThereIsSaidToBeSo() {
    assertThatThrownBy(() -> adoption.adopt(request(), END))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("there is no table ns.t");
  }

  private void createWith(int version, String column, Type type) {
    ForeignTable.create(
        warehouse,
        version,
        new Schema(
            List.of(
                NestedField.required(1, "id", Types.LongType.get()),
                NestedField.optional(2, column, type)),
            Set.of(1)));
  }

  private static AdoptionRequest request() {
    return AdoptionRequest.of(TestWarehouse.name());
  }

  private List<Verdict> refusals(AdoptionRequest request) {
    AdoptionReport report = adoption.check(request, END);
    assertThat(report.outcome()).isEqualTo(AdoptionReport.Outcome.REFUSED);
    return report.refusals();
  }

  private Verdict refusal(AdoptionRequest request) {
    List<Verdict> refusals = refusals(request);
    assertThat(refusals).hasSize(1);
    return refusals.get(0);
  }

  private static List<Object> row(Object id, String v) {
    return Arrays.asList(id, v);
  }
}
