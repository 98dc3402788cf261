package io.icewal.config;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.ObjectStore;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.iceberg.catalog.Catalog;

/// The configuration that all processes of a warehouse share.
///
/// @param catalogName the Iceberg catalog's name
/// @param catalogProperties Iceberg's own properties, without the `catalog.` before them in a file
public record IcewalConfig(
    String catalogName,
    Map<String, String> catalogProperties,
    LogSettings log,
    ServerSettings server,
    MaterializeSettings materialize) {
  public static final String CATALOG_NAME = "icewal";

  public IcewalConfig {
    catalogProperties = Map.copyOf(catalogProperties);
    Locations.requireLogRoot(log.root());
    String warehouse = catalogProperties.getOrDefault("warehouse", "");
    Locations.requireApart(log.root(), warehouse, "the warehouse");
  }

  /// Reads a properties file (UTF-8).
  ///
  /// @throws IcewalException INVALID for anything wrong in it, and for unknown keys
  public static IcewalConfig load(Path file) {
    UniqueProperties properties = new UniqueProperties();
    try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(in);
    } catch (NoSuchFileException e) {
      throw new IcewalException(ErrorKind.INVALID, "there is no configuration file " + file, e);
    } catch (IOException | IllegalArgumentException e) {
      throw new IcewalException(
          ErrorKind.INVALID, "cannot read the configuration " + file + ": " + e.getMessage(), e);
    }
    return of(properties.values, file.toString());
  }

  /// Reads key-value pairs as they stand in a file.
  ///
  /// @param source where they come from, for messages
  public static IcewalConfig of(Map<String, String> values, String source) {
    ConfigReader reader = new ConfigReader(values, source);
    String name = reader.text("catalog.name", CATALOG_NAME);
    ServerSettings server = ServerSettings.read(reader);
    MaterializeSettings materialize = MaterializeSettings.read(reader);
    Map<String, String> catalog = reader.below("catalog.");
    LogSettings log = LogSettings.read(reader);
    reader.refuseUnknownKeys();
    if (!catalog.containsKey("type") && !catalog.containsKey("catalog-impl")) {
      throw new IcewalException(
          ErrorKind.INVALID,
          source
              + ": no catalog is named; expected 'catalog.type' (rest, jdbc, glue, hive) or"
              + " 'catalog.catalog-impl'");
    }
    return new IcewalConfig(name, catalog, log, server, materialize);
  }

  /// Everything below one folder: an SQLite catalog, the warehouse and the log.
  public static IcewalConfig embedded(Path folder) {
    return of(EmbeddedCatalog.values(folder), folder.toString());
  }

  public String logRoot() {
    return log.root();
  }

  /// The same with another Flight port.
  public IcewalConfig withPort(int port) {
    return new IcewalConfig(
        catalogName, catalogProperties, log, server.withPort(port), materialize);
  }

  /// Opens the Iceberg catalog. Close it, if it is [java.io.Closeable].
  ///
  /// @throws IcewalException UNAVAILABLE if it cannot be opened
  public Catalog openCatalog() {
    return Catalogs.open(this);
  }

  /// Opens the store of the log, rooted at the log root.
  ///
  /// @throws IcewalException UNAVAILABLE if it cannot be opened
  public ObjectStore openLogStore() {
    return Locations.openStore(log.root(), catalogProperties);
  }

  /// Refuses a table whose folder holds the log or lies within it: other engines' orphan removal
  /// would take the log for rubbish.
  ///
  /// @throws IcewalException INVALID if so
  public void requireApartFromLog(String tableLocation) {
    Locations.requireApart(log.root(), tableLocation, "the table at " + tableLocation);
  }

  /// Without the values of the catalog's properties: there are secrets among them.
  @Override
  public String toString() {
    return "IcewalConfig[catalogName="
        + catalogName
        + ", catalogProperties="
        + catalogProperties.keySet()
        + ", "
        + log
        + ", "
        + server
        + ", "
        + materialize
        + "]";
  }

  /// Refuses a key that is given twice, of which [Properties] would silently keep the last.
  private static final class UniqueProperties extends Properties {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial")
    private final TreeMap<String, String> values = new TreeMap<>();

    @Override
    public synchronized Object put(Object key, Object value) {
      String old = values.put(key.toString(), value.toString().strip());
      if (old != null) {
        throw new IllegalArgumentException("key '" + key + "' is given twice");
      }
      return super.put(key, value);
    }
  }
}
