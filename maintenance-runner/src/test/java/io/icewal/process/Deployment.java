package io.icewal.process;

import io.icewal.JavaProcess;
import io.icewal.cli.IcewalMain;
import io.icewal.cli.TrinoPartsOfBuild;
import io.icewal.config.IcewalConfig;
import io.icewal.storage.LocalFileIO;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;

/// A warehouse in a folder, and `icewal` processes on it, real ones that can be killed. Tables are
/// materialized as often as the maintenance loop does it at all.
final class Deployment implements AutoCloseable {
  private static final String SETTINGS =
      """
      catalog.type=jdbc
      catalog.jdbc.schema-version=V1
      catalog.jdbc.journal_mode=WAL
      catalog.uri=jdbc:sqlite:%1$s/catalog.db
      catalog.warehouse=file://%1$s/warehouse
      log.root=%1$s/log
      server.port=%2$d
      server.flush-interval=20ms
      materialize.age-due=100ms
      materialize.trickle-age-due=100ms
      """;

  private final Path folder;
  private final Path config;
  private final int port;
  private final String heap;
  private final List<JavaProcess> processes = new ArrayList<>();

  Deployment(Path folder) throws IOException {
    this(folder, 512);
  }

  /// @param heapMebibytes the heap of each process, and its buffers beside it
  Deployment(Path folder, int heapMebibytes) throws IOException {
    this.folder = folder;
    this.heap = "-Xmx" + heapMebibytes + "m";
    this.port = freePort();
    this.config =
        Files.writeString(folder.resolve("icewal.properties"), SETTINGS.formatted(folder, port));
  }

  /// All servers and ingestors listen there, one after the other.
  URI uri() {
    return URI.create("grpc://127.0.0.1:" + port);
  }

  /// The file that all processes of the warehouse share.
  Path config() {
    return config;
  }

  /// Starts `icewal trino` on any port, and waits until it serves.
  ///
  /// @return its URL
  String trino() throws IOException {
    JavaProcess process =
        run(List.of(TrinoPartsOfBuild.write(folder.resolve("run/parts"))), "trino", "--port", "0");
    return process.awaitLine("icewal trino on ").split(" ")[3];
  }

  /// Starts `icewal server`, and waits until it listens.
  JavaProcess server() {
    JavaProcess process = run("server");
    process.awaitLine("icewal server on " + uri());
    return process;
  }

  /// Starts `icewal ingestor`, and waits until it listens.
  JavaProcess ingestor() {
    JavaProcess process = run("ingestor");
    process.awaitLine("icewal ingestor on " + uri());
    return process;
  }

  /// Starts `icewal maintain` with options.
  JavaProcess maintain(String... options) {
    return run(Stream.concat(Stream.of("maintain"), Stream.of(options)).toArray(String[]::new));
  }

  private JavaProcess run(String... command) {
    return run(List.of(), command);
  }

  private JavaProcess run(List<String> options, String... command) {
    String[] arguments =
        Stream.concat(Stream.of(command), Stream.of("--config", config.toString()))
            .toArray(String[]::new);
    JavaProcess process =
        JavaProcess.start(
            folder.resolve("output-" + processes.size()),
            Stream.concat(
                    Stream.of(heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                    options.stream())
                .toList(),
            IcewalMain.class.getName(),
            arguments);
    processes.add(process);
    return process;
  }

  /// The names of all files of the warehouse, half-written ones too; a name may be missing that has
  /// changed while they were looked at.
  Set<String> files() {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> paths = Files.walk(folder.resolve("warehouse"))) {
      paths.forEach(path -> names.add(path.toString()));
      return names;
    } catch (IOException | UncheckedIOException e) {
      return names; // A file has gone while the folder was walked, or there is no folder yet.
    }
  }

  /// A table's rows as plain Iceberg reads them from its last snapshot: `id,v`, sorted.
  List<String> plainRows(TableIdentifier name) throws IOException {
    Catalog catalog = IcewalConfig.load(config).openCatalog();
    List<String> rows = new ArrayList<>();
    Table table = catalog.loadTable(name);
    try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
      records.forEach(row -> rows.add(row.getField("id") + "," + row.getField("v")));
    }
    ((Closeable) catalog).close();
    Collections.sort(rows);
    return rows;
  }

  /// Data files of a table that no snapshot has, and half-written files: what cycles that were
  /// killed left behind.
  long leftovers(TableIdentifier name) throws IOException {
    Catalog catalog = IcewalConfig.load(config).openCatalog();
    Table table = catalog.loadTable(name);
    Set<Path> known = new HashSet<>();
    for (Snapshot snapshot : table.snapshots()) {
      for (ManifestFile manifest : snapshot.dataManifests(table.io())) {
        try (ManifestReader<DataFile> files =
            ManifestFiles.read(manifest, table.io(), table.specs())) {
          files.forEach(file -> known.add(LocalFileIO.path(file.location())));
        }
      }
    }
    ((Closeable) catalog).close();
    try (Stream<Path> paths = Files.walk(LocalFileIO.path(table.location()))) {
      return paths
          .filter(Files::isRegularFile)
          .filter(path -> path.toString().endsWith(".tmp") || isUnknownData(path, known))
          .count();
    }
  }

  private static boolean isUnknownData(Path path, Set<Path> known) {
    return path.toString().endsWith(".parquet") && !known.contains(path);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    processes.forEach(JavaProcess::close);
  }
}
