package io.icewal;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// The repository's files, for tests that read them.
public final class Sources {
  /// @param file where it stands
  /// @param type the innermost type around it
  /// @param lines from its first line to its last
  record Method(Path file, String type, String name, long lines) {}

  private static final List<String> MODULES =
      List.of(
          "core",
          "flight-ingestor",
          "maintenance-runner",
          "docs",
          "spark-connector",
          "spark-runtime",
          "trino-plugin",
          "trino-server");

  private Sources() {}

  /// The folder of the whole repository; tests run in a module's folder below it.
  public static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Stream.iterate(here, path -> path != null, Path::getParent)
        .filter(path -> Files.isRegularFile(path.resolve("icewal")))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no repository above " + here));
  }

  /// All Java files of all modules; `part` is `main` or `test`.
  public static List<Path> java(String part) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String module : MODULES) {
      Path folder = root().resolve(module + "/src/" + part + "/java");
      if (Files.isDirectory(folder)) {
        try (Stream<Path> tree = Files.walk(folder)) {
          tree.filter(path -> path.toString().endsWith(".java")).sorted().forEach(files::add);
        }
      }
    }
    return files;
  }

  /// All Markdown files at the root and in docs.
  public static List<Path> documents() throws IOException {
    List<Path> files = new ArrayList<>();
    for (Path folder : List.of(root(), root().resolve("docs"))) {
      if (Files.isDirectory(folder)) {
        try (Stream<Path> tree = Files.walk(folder, 1)) {
          tree.filter(path -> path.toString().endsWith(".md")).sorted().forEach(files::add);
        }
      }
    }
    return files;
  }

  /// All methods and constructors with a body, as the compiler's own parser sees them.
  static List<Method> methods(List<Path> files) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<Method> methods = new ArrayList<>();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, manager, null, List.of(), null, manager.getJavaFileObjectsFromPaths(files));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        new MethodScanner(unit, positions, methods).scan(unit, null);
      }
    }
    return methods;
  }

  private static final class MethodScanner extends TreeScanner<@Nullable Void, @Nullable Void> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<Method> methods;
    private String type = "";

    MethodScanner(CompilationUnitTree unit, SourcePositions positions, List<Method> methods) {
      this.unit = unit;
      this.positions = positions;
      this.methods = methods;
    }

    @Override
    public @Nullable Void visitClass(ClassTree tree, @Nullable Void nothing) {
      String outer = type;
      type = tree.getSimpleName().toString();
      super.visitClass(tree, nothing);
      type = outer;
      return null;
    }

    @Override
    public @Nullable Void visitMethod(MethodTree tree, @Nullable Void nothing) {
      if (tree.getBody() != null) {
        long first = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
        long last = unit.getLineMap().getLineNumber(positions.getEndPosition(unit, tree));
        Path file = Path.of(unit.getSourceFile().toUri());
        methods.add(new Method(file, type, tree.getName().toString(), last - first + 1));
      }
      return super.visitMethod(tree, nothing);
    }
  }
}
