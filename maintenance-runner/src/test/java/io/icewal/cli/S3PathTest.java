package io.icewal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.config.IcewalConfig;
import io.icewal.model.LogName;
import io.icewal.runner.CatchUp;
import io.icewal.storage.s3.S3ProxyServer;
import io.icewal.table.IcewalTables;
import io.icewal.table.TablePosition;
import io.icewal.wal.Boundary;
import io.icewal.wal.LogRoot;
import io.icewal.wal.TableState;
import io.icewal.wal.TrimLimits;
import io.icewal.wal.TrimResult;
import io.icewal.wal.WalTrimmer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The whole way of a row with log and tables on S3: loaded, read fresh, materialized by Iceberg's
/// S3FileIO, trimmed, and read again.
class S3PathTest {
  private static final TableIdentifier TABLE = TableIdentifier.of("s", "t");

  @Test
  void rowsGoTheWholeWayOnS3(@TempDir Path folder) throws Exception {
    try (S3ProxyServer s3 = S3ProxyServer.start(folder.resolve("s3")).withBucket("lake");
        TestServer server = TestServer.withoutMaintenance(config(folder, s3))) {
      assertThat(
              server.run(
                  "table", "create", "s.t", "--columns", "id bigint, v string", "--key", "id"))
          .returns(0, TestServer.Result::code);
      load(server, "{\"id\":1,\"v\":\"a\"}\n{\"id\":2,\"v\":\"b\"}\n");
      assertThat(cat(server)).isEqualTo("1,a\n2,b\n");
      assertThat(cat(server, "--no-tail")).isEmpty();

      load(server, "{\"id\":2,\"v\":\"c\"}\n");
      assertThat(server.get(CatchUp.class).run()).allMatch(table -> table.error() == null);
      assertThat(cat(server, "--no-tail")).isEqualTo("1,a\n2,c\n");

      Table table = server.get(IcewalTables.class).load(TABLE);
      assertThat(table.location()).startsWith("s3://lake/");
      assertThat(trim(server, table).number()).isEqualTo(2);
      load(server, "{\"id\":3,\"v\":\"d\"}\n");
      assertThat(cat(server)).isEqualTo("1,a\n2,c\n3,d\n");
    }
  }

  private static IcewalConfig config(Path folder, S3ProxyServer s3) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append("catalog.type=jdbc\ncatalog.jdbc.schema-version=V1\n");
    text.append("catalog.uri=jdbc:sqlite:").append(folder.resolve("catalog.db")).append('\n');
    text.append("catalog.warehouse=s3://lake/warehouse\nlog.root=s3://lake/log\n");
    s3.icebergProperties()
        .forEach(
            (key, value) ->
                text.append("catalog.").append(key).append('=').append(value).append('\n'));
    Path file = folder.resolve("icewal.properties");
    Files.writeString(file, text);
    return IcewalConfig.load(file);
  }

  private static void load(TestServer server, String rows) {
    TestServer.Result result = server.runWithInput(rows, "load", "s.t", "-");
    assertThat(result.err()).isEmpty();
    assertThat(result.code()).isZero();
  }

  private static String cat(TestServer server, String... options) {
    String[] command = new String[4 + options.length];
    System.arraycopy(new String[] {"cat", "s.t", "--format", "csv"}, 0, command, 0, 4);
    System.arraycopy(options, 0, command, 4, options.length);
    TestServer.Result result = server.run(command);
    assertThat(result.err()).isEmpty();
    String rows = result.out().substring(result.out().indexOf('\n') + 1);
    return rows.lines().sorted().map(line -> line + "\n").reduce("", String::concat);
  }

  /// Catching up has trimmed already, or this does; then the segments go, without a grace.
  private static Boundary trim(TestServer server, Table table) {
    LogRoot root = server.get(LogRoot.class);
    LogName log = root.logOf(table.uuid());
    TrimLimits limits =
        new TrimLimits(Duration.ZERO, 1, Duration.ZERO, 4096, 1, Duration.ofHours(24), 1 << 20);
    WalTrimmer trimmer = new WalTrimmer(root, log, new SplittableRandom(1), limits, Runnable::run);
    long position = TablePosition.valid(table).orElseThrow().position().number();
    TrimResult result = trimmer.trim(blocks -> TableState.at(position));
    trimmer.deleteBelowBoundary();
    return result.boundary();
  }
}
