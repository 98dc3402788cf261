package io.icewal.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.Sources;
import io.icewal.config.ConfigKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// What the documents name is there: files, types, configuration keys.
final class DocumentsTest {
  private static final Pattern CODE = Pattern.compile("`([A-Z][a-zA-Z0-9]*)(?:\\.[a-zA-Z0-9]+)?`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:\\s]+)(#[^)\\s]*)?\\)");
  private static final Pattern LINE_NUMBER = Pattern.compile("\\.(java|proto):\\d+");

  /// Types of libraries that the documents have to name.
  private static final Set<String> FOREIGN =
      Set.of(
          "Catalog",
          "CommitStateUnknownException",
          "DataFile",
          "DeleteFile",
          "DoAction",
          "DoGet",
          "DoPut",
          "Executor",
          "FileIO",
          "FileScanTask",
          "FlightSqlProducer",
          "IcebergGenerics",
          "InstantSource",
          "JdbcCatalog",
          "PutResult",
          "RandomGenerator",
          "RowDelta",
          "Schema",
          "Table",
          "TableIdentifier",
          "TableOperations",
          "Transaction",
          "VectorSchemaRoot");

  @Test
  void architectureNamesOnlyTypesThatExist() throws IOException {
    Path architecture = Sources.root().resolve("docs/ARCHITECTURE.md");
    Set<String> known = typeNames();
    Matcher matcher = CODE.matcher(Files.readString(architecture));
    List<String> unknown = new ArrayList<>();
    while (matcher.find()) {
      if (!known.contains(matcher.group(1)) && !isForeign(matcher.group(1))) {
        unknown.add(matcher.group(1));
      }
    }

    assertThat(unknown).isEmpty();
  }

  @Test
  void documentsLinkToWhatExistsAndCiteNoLineNumbers() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path document : Sources.documents()) {
      String text = Files.readString(document);
      Matcher link = LINK.matcher(text);
      while (link.find()) {
        if (!Files.exists(document.resolveSibling(link.group(1)))) {
          broken.add(document + " links to " + link.group(1));
        }
      }
      if (LINE_NUMBER.matcher(text).find()) {
        broken.add(document + " cites a line number");
      }
    }

    assertThat(broken).isEmpty();
  }

  @Test
  void configurationReferenceIsTheKeysThatAreRead() throws IOException {
    List<String> rows = new ArrayList<>();
    for (String line : Files.readAllLines(Sources.root().resolve("docs/configuration.md"))) {
      if (line.matches("\\| `[a-z]+\\.[a-z-]+` \\|.*")) {
        rows.add(line);
      }
    }

    assertThat(rows)
        .isEqualTo(
            ConfigKey.all().stream()
                .map(
                    key -> "| `%s` | %s | %s |".formatted(key.name(), standard(key), key.meaning()))
                .toList());
  }

  private static String standard(ConfigKey key) {
    return key.standard().equals("required") ? "required" : "`" + key.standard() + "`";
  }

  private static Set<String> typeNames() throws IOException {
    Set<String> names = new TreeSet<>();
    Pattern declaration = Pattern.compile("\\b(?:class|interface|enum|record) ([A-Z]\\w*)");
    List<Path> files = new ArrayList<>(Sources.java("main"));
    files.addAll(Sources.java("test"));
    for (Path file : files) {
      Matcher matcher = declaration.matcher(Files.readString(file));
      while (matcher.find()) {
        names.add(matcher.group(1));
      }
    }
    return names;
  }

  /// Words of all capitals, and types of the libraries that the text has to name.
  private static boolean isForeign(String name) {
    return name.equals(name.toUpperCase(Locale.ROOT)) || FOREIGN.contains(name);
  }
}
