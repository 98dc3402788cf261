package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.icewal.runner.CatchUp;
import io.icewal.table.IcewalTables;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Loads the sample files and compares with what `answers.py` computed, in every state that rows
/// can be in. Where the uncut files lie beside the checkout (or where `ICEWAL_DATA` says), these
/// too.
class SampleDataTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TABLE = "demo.packages";
  private static final Path HOME = Path.of("").toAbsolutePath().getParent();
  private static final String COLUMNS =
      "package string, architecture string, version string not null, source string,"
          + " section string, priority string, installed_kib bigint, size_bytes bigint not null,"
          + " sha256 string not null, essential boolean not null, depends list<string> not null,"
          + " tags list<string> not null, homepage string, description string";

  /// One set of files and its answers.
  record Data(Path folder, String answers) {
    @Override
    public String toString() {
      return answers;
    }

    JsonNode expected() throws IOException {
      return JSON.readTree(HOME.resolve("samples").resolve(answers).toFile());
    }

    String file(String name) {
      return folder.resolve("packages-" + name + ".ndjson.gz").toString();
    }
  }

  static Stream<Data> data() {
    String full = System.getenv("ICEWAL_DATA");
    Path beside = full == null ? HOME.resolveSibling("shared/data") : Path.of(full);
    Stream<Data> cut = Stream.of(new Data(HOME.resolve("samples"), "answers.json"));
    return Files.exists(beside.resolve("packages-base.ndjson.gz"))
        ? Stream.concat(cut, Stream.of(new Data(beside, "answers-full.json")))
        : cut;
  }

  @ParameterizedTest
  @MethodSource("data")
  void keyedRowsAreTheSameInEveryState(Data data, @TempDir Path folder) throws Exception {
    JsonNode expected = data.expected();
    try (TestServer server = TestServer.withoutMaintenance(folder)) {
      create(server, "--key", "package,architecture");
      load(server, data.file("base"));
      assertThat(summary(server)).isEqualTo(values(expected.at("/after/packages-base")));
      load(server, data.file("updates"), data.file("security"));
      assertThat(summary(server)).as("all in the log").isEqualTo(values(expected.get("keyed")));

      materialize(server);
      assertThat(summary(server)).as("all materialized").isEqualTo(values(expected.get("keyed")));
      assertThat(summary(server, "--no-tail")).isEqualTo(values(expected.get("keyed")));
      assertThat(plain(server)).isEqualTo(values(expected.get("keyed")));
      assertThat(pyiceberg(folder))
          .isEqualTo(
              expected.at("/keyed/rows").asLong()
                  + " "
                  + expected.at("/keyed/sum_size_bytes").asLong()
                  + " "
                  + expected.at("/keyed/sum_installed_kib").asLong());
    }
  }

  @ParameterizedTest
  @MethodSource("data")
  void keyedRowsAreTheSameWithHalfOfThemMaterialized(Data data, @TempDir Path folder)
      throws Exception {
    JsonNode expected = data.expected();
    try (TestServer server = TestServer.withoutMaintenance(folder)) {
      create(server, "--key", "package,architecture");
      load(server, data.file("base"), data.file("updates"));
      materialize(server);
      load(server, data.file("security"));

      assertThat(summary(server)).as("half").isEqualTo(values(expected.get("keyed")));
      assertThat(plain(server)).isEqualTo(values(expected.at("/after/packages-updates")));
      materialize(server);
      assertThat(summary(server)).isEqualTo(values(expected.get("keyed")));
      assertThat(plain(server)).isEqualTo(values(expected.get("keyed")));
    }
  }

  @ParameterizedTest
  @MethodSource("data")
  void appendedRowsAreAllKeptAndARepeatedLoadAddsNone(Data data, @TempDir Path folder)
      throws Exception {
    JsonNode expected = data.expected();
    try (TestServer server = TestServer.withoutMaintenance(folder)) {
      create(server);
      String[] files = {data.file("base"), data.file("updates"), data.file("security")};
      load(server, files[0], "--producer", "once");
      load(server, files[0], files[1], files[2], "--producer", "once");
      assertThat(summary(server)).isEqualTo(values(expected.get("append_only")));

      materialize(server);
      load(server, files[2], files[0], "--producer", "once");
      materialize(server);
      assertThat(summary(server)).isEqualTo(values(expected.get("append_only")));
      assertThat(plain(server)).isEqualTo(values(expected.get("append_only")));
    }
  }

  private static void create(TestServer server, String... options) {
    String[] command =
        Stream.concat(Stream.of("table", "create", TABLE, "--columns", COLUMNS), Stream.of(options))
            .toArray(String[]::new);
    assertThat(server.run(command).code()).isZero();
  }

  private static void load(TestServer server, String... arguments) {
    String[] command =
        Stream.concat(Stream.of("load", TABLE), Stream.of(arguments)).toArray(String[]::new);
    TestServer.Result result = server.run(command);
    assertThat(result.err()).isEmpty();
    assertThat(result.code()).isZero();
  }

  private static void materialize(TestServer server) {
    assertThat(server.get(CatchUp.class).run()).allMatch(table -> table.error() == null);
  }

  private static Map<String, Long> values(JsonNode expected) {
    Map<String, Long> values = new TreeMap<>();
    expected.properties().forEach(entry -> values.put(entry.getKey(), entry.getValue().asLong()));
    return values;
  }

  private static Map<String, Long> summary(TestServer server, String... options)
      throws IOException {
    String[] command =
        Stream.concat(Stream.of("cat", TABLE, "--format", "ndjson"), Stream.of(options))
            .toArray(String[]::new);
    TestServer.Result result = server.run(command);
    assertThat(result.err()).isEmpty();
    Totals totals = new Totals();
    for (String line : result.out().split("\n")) {
      JsonNode row = JSON.readTree(line);
      totals.add(
          row.get("size_bytes").asLong(),
          row.get("installed_kib").asLong(),
          row.get("homepage").isNull(),
          row.get("essential").asBoolean(),
          row.get("depends").size(),
          row.get("tags").size(),
          row.get("description").isNull() ? "" : row.get("description").asText());
    }
    return totals.values();
  }

  private static Map<String, Long> plain(TestServer server) throws IOException {
    Table table = server.get(IcewalTables.class).load(TableIdentifier.parse(TABLE));
    Totals totals = new Totals();
    try (CloseableIterable<Record> rows = IcebergGenerics.read(table).build()) {
      for (Record row : rows) {
        Object kib = row.getField("installed_kib");
        Object description = row.getField("description");
        totals.add(
            (Long) row.getField("size_bytes"),
            kib == null ? 0 : (Long) kib,
            row.getField("homepage") == null,
            (Boolean) row.getField("essential"),
            ((List<?>) row.getField("depends")).size(),
            ((List<?>) row.getField("tags")).size(),
            description == null ? "" : (String) description);
      }
    }
    return totals.values();
  }

  private static String pyiceberg(Path folder) throws IOException, InterruptedException {
    String python = System.getenv("ICEWAL_PYTHON");
    assertThat(python).as("ICEWAL_PYTHON: a Python with pyiceberg and pyarrow").isNotBlank();
    String script =
        """
        import sys
        import pyarrow.compute as pc
        from pyiceberg.catalog.sql import SqlCatalog
        uri, warehouse = "sqlite:///" + sys.argv[1] + "/catalog.db", "file://" + sys.argv[1] + "/warehouse"
        t = SqlCatalog("icewal", uri=uri, warehouse=warehouse).load_table("demo.packages").scan().to_arrow()
        print(len(t), pc.sum(t["size_bytes"]).as_py(), pc.sum(t["installed_kib"]).as_py())
        """;
    Process process =
        new ProcessBuilder(python, "-c", script, folder.toAbsolutePath().toString())
            .redirectErrorStream(true)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    return out.strip();
  }

  /// The same sums as in `answers.py`.
  private static final class Totals {
    private final Map<String, Long> values = new TreeMap<>();

    void add(
        long size,
        long kib,
        boolean noHomepage,
        boolean essential,
        int depends,
        int tags,
        String description) {
      add("rows", 1);
      add("sum_size_bytes", size);
      add("sum_installed_kib", kib);
      add("null_homepages", noHomepage ? 1 : 0);
      add("essential", essential ? 1 : 0);
      add("depends", depends);
      add("tags", tags);
      add("description_bytes", description.getBytes(StandardCharsets.UTF_8).length);
    }

    private void add(String name, long value) {
      values.merge(name, value, Long::sum);
    }

    Map<String, Long> values() {
      return values;
    }
  }
}
