package io.icewal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Habits that a formatter and a compiler do not see, over the sources of all modules.
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
}
