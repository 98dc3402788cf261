package io.icewal.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What lies in the demo's folder, told by kind of file.
final class DemoFiles {
  private record Kind(String what, Predicate<String> matches) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("log segments (every acknowledged row is in one)", has("/segments/")),
          new Kind("other log objects (root, boundaries, summaries)", has("log/")),
          new Kind("Parquet data files of the table", ends(".parquet")),
          new Kind("deletion vectors (which rows are dead), in Puffin files", ends(".puffin")),
          new Kind("Iceberg metadata: snapshots, manifests", has("/metadata/")),
          new Kind("the catalog, an SQLite database", has("catalog.db")));

  private final Path folder;

  DemoFiles(Path folder) {
    this.folder = folder;
  }

  void print(Narrator narrator) throws IOException {
    List<Path> left;
    try (Stream<Path> paths = Files.walk(folder)) {
      left = paths.filter(Files::isRegularFile).sorted().toList();
    }
    for (Kind kind : KINDS) {
      List<Path> found = left.stream().filter(path -> kind.matches.test(relative(path))).toList();
      left = left.stream().filter(path -> !found.contains(path)).toList();
      if (!found.isEmpty()) {
        narrator.line(
            String.format(
                Locale.ROOT,
                "%,9d KiB  %3d  %s, such as%n                    %s",
                size(found) / 1024,
                found.size(),
                kind.what,
                relative(found.get(0))));
      }
    }
  }

  private static long size(List<Path> files) throws IOException {
    long size = 0;
    for (Path file : files) {
      size += Files.size(file);
    }
    return size;
  }

  private String relative(Path path) {
    return folder.relativize(path).toString().replace('\\', '/');
  }

  private static Predicate<String> has(String part) {
    return name -> name.contains(part);
  }

  private static Predicate<String> ends(String end) {
    return name -> name.endsWith(end);
  }
}
