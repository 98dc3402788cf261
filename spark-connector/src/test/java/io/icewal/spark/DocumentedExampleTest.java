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
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;
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

  /// The Python that stands there, read as what it asks of Spark.
  @Test
  void documentedStreamsWorkAsTheyStandThere(@TempDir Path folder) throws Exception {
    SparkSession spark = configuredSession(folder);
    spark.sql("CREATE NAMESPACE shop");
    spark.sql(example("sql").replaceFirst(";\\s*$", ""));
    spark.sql(example("sql").replaceFirst(";\\s*$", "").replace("orders", "copy"));
    spark.sql("INSERT INTO shop.orders VALUES (1, 'ada', 19.90, NULL), (2, 'bob', 5, NULL)");
    SparkSession.setActiveSession(spark);
    try {
      writeAsDocumented(spark, folder);
      copy(spark, folder);
      spark.sql("DELETE FROM shop.orders WHERE id = 2");
      spark.sql("INSERT INTO shop.orders VALUES (3, 'eve', 1, NULL)");
      copy(spark, folder);
      assertThat(SparkServer.rows(spark.table("shop.copy")))
          .containsExactly("1|ada|19.90|null", "3|eve|1.00|null");
    } finally {
      SparkSession.clearActiveSession();
    }
  }

  private static void copy(SparkSession spark, Path folder) throws Exception {
    Matcher copy =
        Pattern.compile(
                "where\\(\"(.+)\"\\)\\.isEmpty.+?sql\\(\"(.+?)\"\\).+?sql\\(\"{3}(.+?)\"{3}.+"
                    + "readStream\\.format\\(\"(.+?)\"\\)\\.option\\(\"(.+?)\", \"(.+?)\"\\)"
                    + "\\.load\\(\"(.+?)\"\\)",
                Pattern.DOTALL)
            .matcher(example("python", "foreachBatch"));
    assertThat(copy.find()).isTrue();
    spark
        .readStream()
        .format(copy.group(4))
        .option(copy.group(5), copy.group(6))
        .load(copy.group(7))
        .writeStream()
        .option("checkpointLocation", folder.resolve("copy").toString())
        .trigger(Trigger.AvailableNow())
        .foreachBatch(
            (Dataset<Row> batch, Long epoch) -> {
              batch.createOrReplaceTempView("changes");
              if (!batch.where(copy.group(1)).isEmpty()) {
                batch.sparkSession().sql(copy.group(2));
              }
              batch.sparkSession().sql(copy.group(3));
            })
        .start()
        .awaitTermination();
  }

  private static void writeAsDocumented(SparkSession spark, Path folder) throws Exception {
    Matcher read =
        Pattern.compile("readStream\\.table\\(\"(.+?)\"\\)")
            .matcher(example("python", "readStream"));
    Matcher write =
        Pattern.compile(
                "writeStream\\.format\\(\"(.+?)\"\\).+toTable\\(\"(.+?)\"\\)", Pattern.DOTALL)
            .matcher(example("python", "writeStream"));
    assertThat(read.find() && write.find()).isTrue();
    spark.sql(example("sql").replaceFirst(";\\s*$", "").replace("orders", "archive"));
    spark
        .readStream()
        .table(read.group(1))
        .writeStream()
        .format(write.group(1))
        .option("checkpointLocation", folder.resolve("orders").toString())
        .trigger(Trigger.AvailableNow())
        .toTable(write.group(2).replace("orders", "archive"))
        .awaitTermination();
    assertThat(SparkServer.rows(spark.table("shop.archive")))
        .containsExactly("1|ada|19.90|null", "2|bob|5.00|null");
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
    return example(language, "");
  }

  /// The first one that has a word.
  private static String example(String language, String word) throws IOException {
    Matcher block =
        Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Sources.root().resolve("docs/spark.md")));
    while (block.find()) {
      if (block.group(1).contains(word)) {
        return block.group(1);
      }
    }
    throw new AssertionError("no example in " + language + " with '" + word + "'");
  }
}
