package io.icewal.cli.sql;

import java.net.URI;
import java.net.URISyntaxException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads where a Trino server is: a JDBC URL, or the address of its HTTP, which then is in catalog
/// `icewal`.
public final class SqlAddress implements ITypeConverter<String> {
  private static final String JDBC = "jdbc:trino://";

  @Override
  public String convert(String value) {
    if (value.startsWith(JDBC)) {
      return value;
    }
    try {
      URI uri = new URI(value);
      boolean secure = "https".equals(uri.getScheme());
      if ((secure || "http".equals(uri.getScheme())) && uri.getAuthority() != null) {
        int port = uri.getPort() >= 0 ? uri.getPort() : secure ? 443 : 80;
        return JDBC + uri.getHost() + ":" + port + "/icewal" + (secure ? "?SSL=true" : "");
      }
    } catch (URISyntaxException e) {
      // Told below, as what is no URL at all.
    }
    throw new TypeConversionException(
        "'" + value + "' does not look like jdbc:trino://HOST:PORT/icewal or http://HOST:PORT");
  }
}
