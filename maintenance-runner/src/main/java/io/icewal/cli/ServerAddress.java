package io.icewal.cli;

import io.icewal.client.IcewalClient;
import java.net.URI;
import java.net.URISyntaxException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads a server's address, such as `grpc://127.0.0.1:8815`.
final class ServerAddress implements ITypeConverter<URI> {
  @Override
  public URI convert(String value) {
    try {
      return new URI(value);
    } catch (URISyntaxException e) {
      throw new TypeConversionException(
          "'" + value + "' does not look like " + IcewalClient.DEFAULT_SERVER);
    }
  }
}
