package io.icewal.bench;

import com.google.inject.Guice;
import com.google.inject.Injector;
import io.icewal.client.IcewalClient;
import io.icewal.config.IcewalConfig;
import io.icewal.flight.IngestModule;
import io.icewal.flight.IngestServer;
import io.icewal.flight.Resources;
import io.icewal.flight.WarehouseModule;
import io.icewal.protocol.TableDefinition;
import io.icewal.protocol.TableDescription;
import io.icewal.runner.MaintenanceModule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.catalog.TableIdentifier;

/// A warehouse in a temporary folder with an ingestor, gone at the end. The maintenance loop does
/// not run: measurements call what they measure.
final class BenchWarehouse implements AutoCloseable {
  private final Path folder;
  private final Injector injector;
  private final IngestServer server;
  private final IcewalClient client;

  BenchWarehouse() throws IOException {
    folder = Files.createTempDirectory("icewal-bench-");
    IcewalConfig config = IcewalConfig.embedded(folder).withPort(0);
    injector =
        Guice.createInjector(
            new WarehouseModule(config), new IngestModule(), new MaintenanceModule());
    server = injector.getInstance(IngestServer.class);
    server.start();
    client = IcewalClient.connect(server.uri(), allocator());
  }

  <T> T get(Class<T> type) {
    return injector.getInstance(type);
  }

  BufferAllocator allocator() {
    return injector.getInstance(BufferAllocator.class);
  }

  IcewalClient client() {
    return client;
  }

  TableDescription create(String table) {
    return client.create(TableDefinition.of(TableIdentifier.of("bench", table), BenchRows.SCHEMA));
  }

  @Override
  public void close() {
    client.close();
    server.close();
    injector.getInstance(Resources.class).close();
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + folder, e);
    }
  }
}
