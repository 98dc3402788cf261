package io.icewal.flight;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.util.Modules;
import io.icewal.client.IcewalClient;
import io.icewal.config.IcewalConfig;
import io.icewal.protocol.ColumnText;
import io.icewal.protocol.TableDefinition;
import io.icewal.storage.LocalFileIO;
import io.icewal.storage.ObjectStore;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.catalog.TableIdentifier;

/// A real server on a free port of this machine, with an SQLite catalog, and a client of its own.
/// Closing checks that the server and the client gave all memory back.
final class ServerFixture implements AutoCloseable {
  final Injector injector;
  final IngestServer server;
  final BufferAllocator clientMemory = new RootAllocator();
  final IcewalClient client;

  private ServerFixture(Injector injector) {
    this.injector = injector;
    this.server = injector.getInstance(IngestServer.class);
    server.start();
    this.client = IcewalClient.connect(server.uri(), clientMemory);
  }

  /// A server on files in a folder.
  static ServerFixture on(Path folder) {
    return on(folder, Map.of());
  }

  /// The same with further settings.
  static ServerFixture on(Path folder, Map<String, String> settings) {
    return new ServerFixture(Guice.createInjector(modules(folder, settings)));
  }

  /// A server whose log is in the given store.
  static ServerFixture on(Path folder, ObjectStore store, Map<String, String> settings) {
    Module ownStore =
        new AbstractModule() {
          @Override
          protected void configure() {
            bind(ObjectStore.class).toInstance(store);
          }
        };
    return new ServerFixture(
        Guice.createInjector(Modules.override(modules(folder, settings)).with(ownStore)));
  }

  private static Module modules(Path folder, Map<String, String> settings) {
    Map<String, String> values = new HashMap<>();
    values.put("catalog.type", "jdbc");
    values.put("catalog.uri", "jdbc:sqlite:" + folder + "/catalog.db");
    values.put("catalog.warehouse", "file://" + folder + "/warehouse");
    values.put("catalog.io-impl", LocalFileIO.class.getName());
    values.put("catalog.jdbc.schema-version", "V1");
    values.put("catalog.jdbc.journal_mode", "WAL");
    values.put("log.root", folder + "/log");
    values.put("server.port", "0");
    values.put("server.flush-interval", "2ms");
    values.putAll(settings);
    return Modules.combine(
        new WarehouseModule(IcewalConfig.of(values, "test")), new IngestModule());
  }

  BufferAllocator serverMemory() {
    return injector.getInstance(BufferAllocator.class);
  }

  /// Creates a table from the text of its columns.
  TableIdentifier table(String name, String columns, String... key) {
    TableIdentifier table = TableIdentifier.of("db", name);
    client.create(
        TableDefinition.of(table, ColumnText.schema(ColumnText.columns(columns), List.of(key))));
    return table;
  }

  /// Ends the server as SIGTERM does, and its resources.
  void closeServer() {
    server.close();
    injector.getInstance(Resources.class).close();
  }

  @Override
  public void close() {
    client.close();
    clientMemory.close();
    closeServer();
  }
}
