package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.icewal.ingest.TableSchemas;
import io.icewal.runner.CatchUp;
import io.icewal.table.ForeignTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tables of other engines, adopted and then written and read over Flight.
class TableAdoptCommandTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TableIdentifier NAME = TableIdentifier.of("a", "t");

  /// As Spark makes it.
  private static final Schema OPTIONAL =
      new Schema(
          NestedField.optional(1, "id", Types.LongType.get()),
          NestedField.optional(2, "v", Types.StringType.get()),
          NestedField.optional(3, "region", Types.StringType.get()));

  private static final Schema KEYED =
      new Schema(
          List.of(
              NestedField.required(1, "id", Types.LongType.get()),
              NestedField.optional(2, "v", Types.StringType.get())),
          Set.of(1));

  @TempDir private Path folder;
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.withoutMaintenance(folder.resolve("data"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aForeignTableIsAdoptedAndThenWrittenAndReadLikeAnyOther() throws Exception {
    ForeignTable foreign = foreign(2, OPTIONAL, spec());
    DataFile eu = append(foreign, "eu", row(3L, "c"), row(1L, "a"), row(9L, "gone"));
    append(foreign, "us", row(2L, "b"), row(4L, "d"));
    foreign.delete(eu, 2);

    TestServer.Result early = server.runWithInput("{\"id\":7}\n", "load", "a.t", "-");
    assertThat(early.code()).isEqualTo(ExitCode.INVALID);
    assertThat(early.err()).contains("icewal table adopt a.t").hasLineCount(1);

    TestServer.Result refused = server.run("table", "adopt", "a.t", "--key", "id");
    assertThat(refused.code()).isEqualTo(ExitCode.INVALID);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err())
        .startsWith("icewal: a.t cannot be adopted: column 'id' is optional")
        .contains("--require-key")
        .hasLineCount(1);

    TestServer.Result adopted = server.run("table", "adopt", "a.t", "--key", "id", "--require-key");
    assertThat(adopted.code()).as(adopted.err()).isZero();
    assertThat(adopted.out())
        .contains("adopted a.t, 4 rows in 2 data files looked at\n")
        .contains("key        id\n")
        .contains("change     format version 2 becomes 3\n")
        .contains("warning    the table is partitioned by region");
    assertThat(server.run("table", "adopt", "a.t").out()).contains("a.t is adopted already\n");

    server.runWithInput(
        "{\"id\":1,\"v\":\"A\",\"region\":\"us\"}\n{\"id\":5,\"v\":\"e\"}\n", "load", "a.t", "-");
    server.runWithInput("{\"id\":4}\n", "load", "a.t", "-", "--op", "delete");
    List<String> expected = List.of("1,A,us", "2,b,us", "3,c,eu", "5,e,null");
    assertThat(cat()).containsExactlyElementsOf(expected);
    assertThat(server.get(CatchUp.class).run()).singleElement().matches(t -> t.error() == null);
    assertThat(cat()).containsExactlyElementsOf(expected);
    assertThat(plain(foreign)).containsExactlyElementsOf(expected);
  }

  @Test
  void aDryRunTellsAndChangesNothing() throws Exception {
    ForeignTable foreign = foreign(1, KEYED, PartitionSpec.unpartitioned());
    foreign.append(List.of(List.of(1L, "a"), List.of(2L, "b")));
    long snapshot = foreign.load().currentSnapshot().snapshotId();

    TestServer.Result possible = server.run("table", "adopt", "a.t", "--dry-run", "--json");
    assertThat(possible.code()).as(possible.err()).isZero();
    JsonNode answer = JSON.readTree(possible.out());
    assertThat(answer.get("outcome").asText()).isEqualTo("possible");
    assertThat(answer.get("key").get(0).asText()).isEqualTo("id");
    assertThat(answer.get("rows").asLong()).isEqualTo(2);
    assertThat(answer.get("position").isNull()).isTrue();
    assertThat(server.run("table", "adopt", "a.t", "--dry-run").out())
        .startsWith("a.t can be adopted, 2 rows in 1 data files looked at\n");

    foreign.append(List.of(List.of(2L, "again")));
    TestServer.Result refused = server.run("table", "adopt", "a.t", "--dry-run", "--json");
    assertThat(refused.code()).isEqualTo(ExitCode.INVALID);
    JsonNode refusal = JSON.readTree(refused.out()).get("refusals").get(0);
    assertThat(refusal.get("rule").asText()).isEqualTo("key-duplicate");
    assertThat(refusal.get("value").asText()).isEqualTo("id=2");
    assertThat(server.run("table", "adopt", "a.t", "--dry-run").err())
        .contains("1 keys are in more than one row, 1 rows too many");
    assertThat(foreign.load().currentSnapshot().parentId()).isEqualTo(snapshot);
  }

  @Test
  void everyReasonIsToldOnALineOfItsOwn() {
    ForeignTable foreign = foreign(2, OPTIONAL, PartitionSpec.unpartitioned());
    foreign.append(List.of(Arrays.asList(null, "a", "eu"), Arrays.asList(1L, "b", "eu")));
    foreign.append(List.of(Arrays.asList(1L, "c", "eu")));
    foreign.load().updateProperties().set("write.format.default", "orc").commit();

    TestServer.Result refused = server.run("table", "adopt", "a.t", "--key", "id");

    assertThat(refused.code()).isEqualTo(ExitCode.INVALID);
    assertThat(refused.err().lines())
        .hasSize(4)
        .allMatch(line -> line.startsWith("icewal: a.t cannot be adopted: "));
    assertThat(refused.err())
        .contains("write.format.default is 'orc'")
        .contains("is optional")
        .contains("1 rows have a null in key column 'id'")
        .contains("id=1 in 2 rows");
    TestServer.Result gone = server.run("table", "adopt", "a.nothing");
    assertThat(gone.code()).isEqualTo(ExitCode.INVALID);
    assertThat(gone.err()).contains("there is no table a.nothing").hasLineCount(1);
  }

  /// The rows that the log has of it were of the table before: parked, they are no longer read, and
  /// go once it is adopted.
  @Test
  void aReplacedTableBeginsAnewWithoutItsOldTail() throws Exception {
    server.run("table", "create", "a.t", "--key", "id", "--columns", "id bigint, v string");
    server.runWithInput("{\"id\":1,\"v\":\"old\"}\n{\"id\":2}\n", "load", "a.t", "-");
    catalog()
        .buildTable(NAME, KEYED)
        .withProperty("format-version", "3")
        .createOrReplaceTransaction()
        .commitTransaction();
    server.get(TableSchemas.class).forget(NAME);

    TestServer.Result refused = server.runWithInput("{\"id\":3}\n", "load", "a.t", "-");
    assertThat(refused.err()).contains("icewal table adopt a.t");
    server.get(CatchUp.class).run();
    assertThat(cat()).isEmpty();

    TestServer.Result adopted = server.run("table", "adopt", "a.t");
    assertThat(adopted.code()).as(adopted.err()).isZero();
    assertThat(adopted.out())
        .contains("warning    2 rows that the log has of the table from before");
    assertThat(cat()).isEmpty();
    server.runWithInput("{\"id\":3,\"v\":\"new\"}\n", "load", "a.t", "-");
    assertThat(cat()).containsExactly("3,new");
    assertThat(server.get(CatchUp.class).run()).allMatch(table -> table.error() == null);
    server.get(CatchUp.class).run();
    assertThat(cat()).containsExactly("3,new");
    assertThat(status().get("parked_blocks").asLong()).isZero();
    assertThat(status().get("tail_rows").asLong()).isZero();
  }

  private Catalog catalog() {
    return server.get(Catalog.class);
  }

  private ForeignTable foreign(int version, Schema schema, PartitionSpec spec) {
    return ForeignTable.create(catalog(), NAME, version, schema, spec, Map.of());
  }

  private static PartitionSpec spec() {
    return PartitionSpec.builderFor(OPTIONAL).identity("region").build();
  }

  private static List<Object> row(long id, String v) {
    return Arrays.asList(id, v, null);
  }

  @SafeVarargs
  private static DataFile append(ForeignTable foreign, String region, List<Object>... rows) {
    PartitionData partition = new PartitionData(foreign.load().spec().partitionType());
    partition.set(0, region);
    for (List<Object> row : rows) {
      row.set(2, region);
    }
    return foreign.append(FileFormat.PARQUET, partition, List.of(rows));
  }

  private JsonNode status() throws IOException {
    return JSON.readTree(server.run("status", "a.t", "--json").out()).get(0);
  }

  /// Fresh rows, sorted.
  private List<String> cat() throws IOException {
    List<String> rows = new ArrayList<>();
    for (String line : server.run("cat", "a.t", "--format", "ndjson").out().lines().toList()) {
      List<String> values = new ArrayList<>();
      JSON.readTree(line).elements().forEachRemaining(value -> values.add(value.asText()));
      rows.add(String.join(",", values));
    }
    rows.sort(null);
    return rows;
  }

  private static List<String> plain(ForeignTable foreign) throws IOException {
    List<String> rows = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(foreign.load()).build()) {
      for (Record record : records) {
        rows.add(record.get(0) + "," + record.get(1) + "," + record.get(2));
      }
    }
    rows.sort(null);
    return rows;
  }
}
