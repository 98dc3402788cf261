package io.icewal.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.Sources;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What docs/spark.md gives to be copied, in a session of its own.
@ExtendWith(SparkServer.Shared.class)
class DocumentedExampleTest {
  private static final String CONFIG_FILE = "/etc/icewal.properties";

  private final SparkServer server;

  DocumentedExampleTest(SparkServer server) {
    this.server = server;
  }

  @Test
  void documentedConfigurationTableAndReadsWorkAsTheyStandThere(@TempDir Path folder)
      throws IOException {
    SparkSession spark = configuredSession(folder);

    spark.sql("CREATE NAMESPACE shop");
    spark.sql(example("sql").replaceFirst(";\\s*$", ""));
    spark.sql("INSERT INTO shop.orders VALUES (1, 'ada', 19.90, NULL), (2, 'bob', 5, NULL)");
    spark.sql("UPDATE shop.orders SET amount = amount * 2 WHERE id = 1");
    spark.sql("DELETE FROM shop.orders WHERE id = 2");

    Matcher names =
        Pattern.compile(
                "spark\\.table\\(\"(.+)\"\\)\nspark\\.read\\.format\\(\"(.+)\"\\)\\.load\\(\"(.+)\"\\)")
            .matcher(example("python").strip());
    assertThat(names.matches()).isTrue();
    String row = "1|ada|39.80|null";
    assertThat(SparkServer.rows(spark.table(names.group(1)))).containsExactly(row);
    assertThat(SparkServer.rows(spark.read().format(names.group(2)).load(names.group(3))))
        .containsExactly(row);
    assertThat(SparkServer.rows(spark.sql("SELECT * FROM shop.orders WITH (fresh = 'false')")))
        .isEmpty();
  }

  private SparkSession configuredSession(Path folder) throws IOException {
    Path config =
        Files.writeString(
            folder.resolve("icewal.properties"),
            """
            catalog.name=icewal
            catalog.type=jdbc
            catalog.uri=jdbc:sqlite:%1$s/catalog.db
            catalog.warehouse=file://%1$s/warehouse
            log.root=file://%1$s/log
            """
                .formatted(folder));
    Properties documented = new Properties();
    documented.load(new StringReader(example("properties")));
    assertThat(documented.values()).contains(CONFIG_FILE);

    SparkSession spark = server.spark.newSession();
    spark.conf().unset("spark.sql.catalog.icewal.data");
    spark.conf().unset("spark.sql.catalog.icewal.default-namespace");
    documented.forEach(
        (key, value) ->
            spark
                .conf()
                .set(
                    key.toString(),
                    value.equals(CONFIG_FILE) ? config.toString() : value.toString()));
    return spark;
  }

  private static String example(String language) throws IOException {
    Matcher block =
        Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Sources.root().resolve("docs/spark.md")));
    assertThat(block.find()).as(language).isTrue();
    return block.group(1);
  }
}
