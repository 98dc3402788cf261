package io.icewal.cli;

import io.icewal.client.IcewalClient;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import picocli.CommandLine.Option;

/// Which server a client command talks to.
final class ClientOptions {
  @Option(
      names = "--server",
      paramLabel = "URI",
      defaultValue = "${env:ICEWAL_SERVER:-grpc://127.0.0.1:8815}",
      converter = ServerAddress.class,
      description = "The server (default: $ICEWAL_SERVER, else grpc://127.0.0.1:8815).")
  private URI server = IcewalClient.DEFAULT_SERVER;

  IcewalClient connect(BufferAllocator allocator) {
    return IcewalClient.connect(server, allocator);
  }

  /// Reads `namespace.table`; the namespace may have several levels.
  static TableIdentifier table(String name) {
    List<String> parts = Arrays.asList(name.split("\\.", -1));
    if (parts.size() < 2 || parts.contains("")) {
      throw new IcewalException(
          ErrorKind.INVALID, "not a table name: '" + name + "'; expected NAMESPACE.TABLE");
    }
    String[] levels = parts.subList(0, parts.size() - 1).toArray(String[]::new);
    return TableIdentifier.of(Namespace.of(levels), parts.get(parts.size() - 1));
  }
}
