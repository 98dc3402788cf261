package io.icewal.spark.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.Sources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/// What is in the jar that was just built, and what is not. That it works is shown by what runs it:
/// `icewal spark-sql` and PySpark.
class RuntimeJarTest {
  static Path jar() throws IOException {
    try (Stream<Path> files = Files.list(Sources.root().resolve("spark-runtime/target"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("icewal-spark-runtime-.*\\.jar"))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void nothingIsInItThatCouldMeetAnotherOneOfItsNameButTheDatabaseDriver() throws IOException {
    TreeSet<String> folders = new TreeSet<>();
    try (JarFile file = new JarFile(jar().toFile())) {
      file.stream()
          .map(ZipEntry::getName)
          .filter(name -> name.endsWith(".class"))
          .map(name -> name.replaceAll("^(META-INF/versions/\\d+/)?([^/]+/[^/]+)/.*", "$2"))
          .forEach(folders::add);
    }

    assertThat(folders).containsExactly("io/icewal", "org/sqlite");
  }

  /// What Iceberg's methods take and give is of the names that it has in iceberg-spark-runtime;
  /// Arrow's is that of Spark, whose vectors are handed to it.
  @Test
  void classesNameWhatIsAroundThemAsItIsCalledThere() throws IOException {
    String names = constants("io/icewal/parquet/ParquetColumnWriter.class");

    assertThat(names)
        .contains("org/apache/iceberg/shaded/org/apache/parquet/schema/MessageType")
        .contains("org/apache/arrow/vector/")
        .doesNotContain("shaded/org/apache/arrow")
        .doesNotContain("Lorg/apache/parquet/");
    assertThat(constants("io/icewal/wal/proto/WalProto.class"))
        .contains("io/icewal/shaded/com/google/protobuf/")
        .doesNotContain("Lcom/google/protobuf/");
  }

  @Test
  void servicesAreFound() throws IOException {
    assertThat(text("META-INF/services/org.apache.spark.sql.sources.DataSourceRegister"))
        .isEqualTo("io.icewal.spark.IcewalSource");
    assertThat(text("META-INF/services/java.sql.Driver")).isEqualTo("org.sqlite.JDBC");
  }

  @Test
  void itComesWithoutLibrariesOfItsOwn() throws IOException {
    String pom =
        Files.readString(Sources.root().resolve("spark-runtime/target/dependency-reduced-pom.xml"));

    List<String> needed =
        Pattern.compile("<artifactId>([^<]+)</artifactId>")
            .matcher(
                pom.substring(pom.indexOf("<dependencies>"), pom.indexOf("</dependencies>"))
                    .replaceAll("(?s)<exclusions>.*?</exclusions>", "")
                    .replaceAll(
                        "(?s)<dependency>((?!</dependency>).)*<scope>(test|provided)</scope>.*?</dependency>",
                        ""))
            .results()
            .map(found -> found.group(1))
            .toList();

    assertThat(needed).containsExactly("jspecify");
  }

  private static String constants(String entry) throws IOException {
    return new String(bytes(entry), StandardCharsets.ISO_8859_1);
  }

  private static String text(String entry) throws IOException {
    return new String(bytes(entry), StandardCharsets.UTF_8).strip();
  }

  private static byte[] bytes(String entry) throws IOException {
    try (JarFile file = new JarFile(jar().toFile())) {
      return file.getInputStream(file.getEntry(entry)).readAllBytes();
    }
  }
}
