package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.JavaProcess;
import io.icewal.config.IcewalConfig;
import io.icewal.storage.s3.S3ProxyServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `icewal trino --config FILE` on S3, beside a Flight server on the same warehouse.
@Tag("slow")
class TrinoConfigTest {
  @TempDir private Path folder;

  @Test
  void aTrinoServerAnswersOnTheWarehouseOfAConfigurationFile() throws Exception {
    try (S3ProxyServer s3 = S3ProxyServer.start(folder.resolve("s3")).withBucket("lake")) {
      Path config = config(s3);
      try (TestServer flight = TestServer.withoutMaintenance(IcewalConfig.load(config));
          JavaProcess trino = trino(config)) {
        String url = trino.awaitLine("icewal trino on ").split(" ")[3];
        flight.run("table", "create", "both.t", "--key", "id", "--columns", "id bigint, s string");
        flight.runWithInput(
            "{\"id\":1,\"s\":\"a\"}\n{\"id\":2,\"s\":\"b\"}\n", "load", "both.t", "-");

        TestServer.Result select = sql(url, "SELECT id, s FROM both.t ORDER BY id");
        TestServer.Result update = sql(url, "UPDATE both.t SET s = 'c' WHERE id = 2");

        assertThat(select.out()).as(select.err()).isEqualTo("id,s\r\n1,a\r\n2,b\r\n");
        assertThat(update.code()).as(update.err()).isZero();
        assertThat(flight.run("cat", "both.t", "--format", "csv").out().lines())
            .containsExactlyInAnyOrder("id,s", "1,a", "2,c");
      }
    }
  }

  private static TestServer.Result sql(String url, String statement) {
    return TestServer.icewal("", "sql", "--server", url, "--format", "csv", statement);
  }

  private JavaProcess trino(Path config) throws Exception {
    String parts = TrinoPartsOfBuild.write(folder.resolve("run/parts"));
    return JavaProcess.start(
        folder.resolve("trino.out"),
        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", parts),
        "io.icewal.cli.IcewalMain",
        "trino",
        "--config",
        config.toString(),
        "--port",
        "0");
  }

  private Path config(S3ProxyServer s3) throws Exception {
    StringBuilder text = new StringBuilder();
    text.append("catalog.type=jdbc\ncatalog.jdbc.schema-version=V1\n");
    text.append("catalog.uri=jdbc:sqlite:").append(folder.resolve("catalog.db")).append('\n');
    text.append("catalog.warehouse=s3://lake/warehouse\nlog.root=s3://lake/log\n");
    s3.icebergProperties()
        .forEach((key, value) -> text.append("catalog." + key + "=" + value + "\n"));
    return Files.writeString(folder.resolve("icewal.properties"), text);
  }
}
