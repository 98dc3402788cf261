package io.icewal;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.config.ConfigKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Habits that a formatter and a compiler do not see, over the sources and documents of all
/// modules.
final class TidyTest {
  private static final int METHOD_LINES_MAX = 60;
  private static final int METHOD_LINES_RULE = 25;
  private static final double LONG_METHODS_SHARE_MAX = 0.06;
  private static final int FILE_LINES_MAX = 500;

  /// What is written nowhere, and what is written instead.
  private static final Map<String, String> BANNED =
      Map.of(
          "\\b(TODO|FIXME|XXX)\\b", "an issue, or the work itself",
          "\\bThread\\.sleep\\(", "a wait with a condition and a limit",
          "\\bprintStackTrace\\(\\)", "a logger, or the exception itself",
          "^\\s*(final )?var \\w+ =", "the type",
          "^\\s*(@Disabled|@org.junit.jupiter.api.Disabled)", "a test that runs, or none",
          "\\bMockito\\b|\\bmock\\(", "a small real fake");

  private static final Map<String, String> BANNED_IN_CORE =
      Map.of("\\bSystem\\.(out|err)\\b", "a logger or a return value");

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
  void methodsAreShort() throws IOException {
    List<Sources.Method> methods = new ArrayList<>(Sources.methods(Sources.java("main")));
    methods.addAll(Sources.methods(Sources.java("test")));

    assertThat(methods).hasSizeGreaterThan(300);
    assertThat(methods).filteredOn(method -> method.lines() > METHOD_LINES_MAX).isEmpty();
    List<Sources.Method> longer =
        methods.stream().filter(method -> method.lines() > METHOD_LINES_RULE).toList();
    assertThat((double) longer.size() / methods.size())
        .as("share of methods longer than %d lines: %s", METHOD_LINES_RULE, longer)
        .isLessThanOrEqualTo(LONG_METHODS_SHARE_MAX);
  }

  @Test
  void filesAreShort() throws IOException {
    List<String> longer = new ArrayList<>();
    for (Path file : all()) {
      long lines = Files.readAllLines(file).size();
      if (lines > FILE_LINES_MAX) {
        longer.add(file + " has " + lines + " lines");
      }
    }

    assertThat(longer).isEmpty();
  }

  @Test
  void bannedWordsAreNotWritten() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : all()) {
      if (!file.endsWith("TidyTest.java") && !file.endsWith("Purity.java")) {
        findBanned(file, BANNED, found);
      }
    }
    for (Path file : Sources.java("main")) {
      if (file.startsWith(Sources.root().resolve("core"))) {
        findBanned(file, BANNED_IN_CORE, found);
      }
    }

    assertThat(found).isEmpty();
  }

  @Test
  void everyPackageSaysWhatFlowsThroughItAndIsNullMarked() throws IOException {
    Set<Path> folders = new TreeSet<>();
    Sources.java("main").forEach(file -> folders.add(file.getParent()));

    for (Path folder : folders) {
      Path info = folder.resolve("package-info.java");
      assertThat(info).isRegularFile();
      assertThat(info).content().startsWith("///").contains("@NullMarked");
    }
  }

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

  private static List<Path> all() throws IOException {
    List<Path> files = new ArrayList<>(Sources.java("main"));
    files.addAll(Sources.java("test"));
    return files;
  }

  private static void findBanned(Path file, Map<String, String> banned, List<String> found)
      throws IOException {
    List<String> lines = Files.readAllLines(file);
    banned.forEach(
        (pattern, instead) -> {
          Pattern compiled = Pattern.compile(pattern);
          for (int i = 0; i < lines.size(); i++) {
            if (compiled.matcher(lines.get(i)).find()) {
              found.add(
                  "%s:%d: '%s' is not written here; write %s"
                      .formatted(file, i + 1, lines.get(i).strip(), instead));
            }
          }
        });
  }

  private static Set<String> typeNames() throws IOException {
    Set<String> names = new TreeSet<>();
    Pattern declaration = Pattern.compile("\\b(?:class|interface|enum|record) ([A-Z]\\w*)");
    for (Path file : all()) {
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
