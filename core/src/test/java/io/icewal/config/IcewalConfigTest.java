package io.icewal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class IcewalConfigTest {
  private static final int KEYS_MAX = 25;

  @TempDir Path folder;

  @Test
  void defaults() {
    IcewalConfig config = read(Map.of());

    assertThat(config.catalogName()).isEqualTo("icewal");
    assertThat(config.catalogProperties()).isEqualTo(Map.of("type", "rest"));
    assertThat(config.log()).isEqualTo(new LogSettings("/srv/log", 1, Duration.ofHours(1)));
    assertThat(config.server())
        .isEqualTo(
            new ServerSettings("127.0.0.1", 8815, 256 << 20, 8 << 20, Duration.ofMillis(250)));
    assertThat(config.materialize())
        .isEqualTo(
            new MaterializeSettings(
                256 << 20, 64 << 20, Duration.ofMinutes(1), Duration.ofMinutes(10)));
  }

  @Test
  void fullMapping() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("icewal.properties"),
            """
            # The catalog
            catalog.name = prod
            catalog.type = rest
            catalog.uri = https://catalog.example/iceberg
            catalog.s3.endpoint = http://127.0.0.1:9000
            catalog.client.region = eu-central-1
            log.root = s3://bucket/log
            log.count = 3
            log.grace = 2h
            server.host = ::1
            server.port = 0
            server.memory-max = 1GiB
            server.flush-size = 64KiB
            server.flush-interval = 1s
            materialize.memory-max = 512 MiB
            materialize.size-due = 1000
            materialize.age-due = 100ms
            materialize.trickle-age-due = 1d
            """);

    IcewalConfig config = IcewalConfig.load(file);

    assertThat(config)
        .isEqualTo(
            new IcewalConfig(
                "prod",
                Map.of(
                    "type", "rest",
                    "uri", "https://catalog.example/iceberg",
                    "s3.endpoint", "http://127.0.0.1:9000",
                    "client.region", "eu-central-1"),
                new LogSettings("s3://bucket/log", 3, Duration.ofHours(2)),
                new ServerSettings("::1", 0, 1 << 30, 64 << 10, Duration.ofSeconds(1)),
                new MaterializeSettings(
                    512 << 20, 1000, Duration.ofMillis(100), Duration.ofDays(1))));
  }

  @Test
  void thereAreFewKeysAndEachIsRead() {
    assertThat(ConfigKey.all()).hasSizeLessThanOrEqualTo(KEYS_MAX);
    for (ConfigKey key : ConfigKey.all()) {
      String standard = key.standard().equals("required") ? "/srv/log" : key.standard();

      assertThat(read(Map.of(key.name(), standard))).as(key.name()).isEqualTo(read(Map.of()));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "server.prot, server.port",
    "flush-interval, ",
    "log.roots, log.root",
    "logroot, log.root",
    "materialise.size-due, materialize.size-due"
  })
  void unknownKeyStopsTheStartWithASuggestion(String key, String suggestion) {
    AbstractThrowableAssert<?, ?> failure = assertInvalid(Map.of(key, "1"));

    failure.hasMessageContaining("unknown key '" + key + "'");
    if (suggestion == null) {
      failure.hasMessageNotContaining("did you mean");
    } else {
      failure.hasMessageContaining("did you mean '" + suggestion + "'");
    }
  }

  @Test
  void aMisspeltKeyIsNamedAlsoWhereTheRightOneIsRequired() {
    assertThatThrownBy(
            () -> IcewalConfig.of(Map.of("catalog.type", "rest", "log.rot", "/srv/log"), "file"))
        .isInstanceOf(IcewalException.class)
        .hasMessage("file: unknown key 'log.rot' (did you mean 'log.root'?)");
  }

  @Test
  void aMissingFileIsSaidToBeMissing() {
    assertThatThrownBy(() -> IcewalConfig.load(Path.of("/no/file")))
        .isInstanceOf(IcewalException.class)
        .hasMessage("there is no configuration file /no/file");
  }

  @ParameterizedTest
  @CsvSource({
    "server.port, 65536",
    "server.port, -1",
    "server.port, eighty",
    "server.port, 99999999999999999999",
    "log.count, 0",
    "log.grace, 10",
    "log.grace, 1s",
    "server.memory-max, 1kb",
    "server.memory-max, 1KiB",
    "server.flush-size, 512MiB",
    "server.memory-max, 999999999999GiB",
    "server.flush-interval, 0ms",
    "server.flush-interval, 2h",
    "materialize.size-due, -5"
  })
  void valuesOutOfRangeAreRefusedByKeyAndValue(String key, String value) {
    assertInvalid(Map.of(key, value))
        .hasMessageContaining("'" + key + "' is '" + value + "'; expected ");
  }

  @Test
  void whatIsRequiredIsNamedWhenMissing() {
    assertThatThrownBy(() -> IcewalConfig.of(Map.of("catalog.type", "rest"), "x.properties"))
        .hasMessageContaining("x.properties: 'log.root' is missing");
    assertThatThrownBy(() -> IcewalConfig.of(Map.of("log.root", "/srv/log"), "x.properties"))
        .hasMessageContaining("catalog.type");
  }

  @Test
  void keyGivenTwiceIsRefused() throws IOException {
    Path file = folder.resolve("icewal.properties");
    Files.writeString(file, "catalog.type=rest\nlog.root=/a\nlog.root=/b\n");

    assertThatThrownBy(() -> IcewalConfig.load(file))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("'log.root' is given twice");
    assertThatThrownBy(() -> IcewalConfig.load(folder.resolve("none")))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("none");
  }

  @ParameterizedTest
  @ValueSource(strings = {"log", "s3:/bucket", "http://host/log", "s3://", ""})
  void logRootIsAnAbsolutePlace(String root) {
    assertInvalid(Map.of("log.root", root)).hasMessageContaining("'log.root' is '" + root + "'");
  }

  @ParameterizedTest
  @CsvSource({
    "/data/warehouse, /data/warehouse/log",
    "file:///data/warehouse, /data/warehouse",
    "file:/data/warehouse/, file:///data/warehouse/log",
    "/data/warehouse, /data/./x/../warehouse/log",
    "/data/log/warehouse, /data/log",
    "s3://bucket, s3://bucket/log",
    "s3a://bucket/wh, s3://bucket/wh/log",
    "s3://bucket/log/wh, s3://bucket/log"
  })
  void logRootAndWarehouseLieApart(String warehouse, String logRoot) {
    assertInvalid(Map.of("catalog.warehouse", warehouse, "log.root", logRoot))
        .hasMessageContaining("lie within each other");
  }

  @ParameterizedTest
  @CsvSource({
    "/data/warehouse, /data/warehouse-log",
    "s3://bucket/wh, s3://bucket/log",
    "s3://bucket/wh, /data/wh",
    "a-name, /data"
  })
  void placesApartAreTaken(String warehouse, String logRoot) {
    IcewalConfig config = read(Map.of("catalog.warehouse", warehouse, "log.root", logRoot));

    assertThat(config.logRoot()).isEqualTo(logRoot);
  }

  @Test
  void linksDoNotHideThatTheLogLiesWithinTheWarehouse() throws IOException {
    Files.createDirectories(folder.resolve("warehouse"));
    Files.createSymbolicLink(folder.resolve("link"), folder.resolve("warehouse"));

    assertInvalid(
            Map.of("catalog.warehouse", folder + "/warehouse", "log.root", folder + "/link/log"))
        .hasMessageContaining("lie within each other");
  }

  @Test
  void tableAroundTheLogIsRefused() {
    IcewalConfig config = read(Map.of("log.root", "s3://bucket/ns/t/log"));

    config.requireApartFromLog("s3://bucket/ns/t2");
    assertThatThrownBy(() -> config.requireApartFromLog("s3://bucket/ns/t"))
        .isInstanceOf(IcewalException.class)
        .hasMessageContaining("s3://bucket/ns/t");
  }

  @Test
  void secretsAreNotPrinted() {
    IcewalConfig config = read(Map.of("catalog.s3.secret-access-key", "hush"));

    assertThat(config.toString()).contains("s3.secret-access-key").doesNotContain("hush");
  }

  @Test
  void portCanBeReplaced() {
    assertThat(read(Map.of()).withPort(7)).isEqualTo(read(Map.of("server.port", "7")));
  }

  private static IcewalConfig read(Map<String, String> changes) {
    Map<String, String> values = new HashMap<>();
    values.put("catalog.type", "rest");
    values.put("log.root", "/srv/log");
    values.putAll(changes);
    return IcewalConfig.of(values, "test");
  }

  private static AbstractThrowableAssert<?, ?> assertInvalid(Map<String, String> changes) {
    return assertThatThrownBy(() -> read(changes))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID));
  }
}
