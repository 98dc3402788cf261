package io.icewal.spark.services;

import io.icewal.config.IcewalConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Which warehouse a catalog is on: `data` names an embedded one by its folder, `config` the file
/// that all processes of a warehouse share. One of them.
///
/// Travels to executors as the values of such a file, so that only the driver needs the file.
public final class WarehouseSettings implements Serializable {
  /// The catalog's options.
  public static final String DATA = "data";

  /// As [#DATA].
  public static final String CONFIG = "config";

  /// The namespace that a session begins in.
  public static final String DEFAULT_NAMESPACE = "default-namespace";

  private static final Set<String> KNOWN = Set.of(DATA, CONFIG, DEFAULT_NAMESPACE);
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("serial") // A HashMap.
  private final Map<String, String> values;

  private WarehouseSettings(Map<String, String> values) {
    this.values = values;
  }

  /// @param catalog the catalog's name, for messages
  /// @param options the catalog's options
  /// @throws IcewalException INVALID for what is missing, or not known
  public static WarehouseSettings of(String catalog, Map<String, String> options) {
    Set<String> unknown = new TreeSet<>(options.keySet());
    unknown.removeAll(KNOWN);
    String data = options.get(DATA);
    String config = options.get(CONFIG);
    if (!unknown.isEmpty() || (data == null) == (config == null)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "catalog "
              + catalog
              + " needs one of the options '"
              + DATA
              + "' and '"
              + CONFIG
              + "', and may have '"
              + DEFAULT_NAMESPACE
              + "'; got "
              + new TreeSet<>(options.keySet()));
    }
    return of(
        data == null ? IcewalConfig.load(Path.of(config)) : IcewalConfig.embedded(Path.of(data)));
  }

  private static WarehouseSettings of(IcewalConfig config) {
    Map<String, String> values = new HashMap<>();
    values.put("catalog.name", config.catalogName());
    config.catalogProperties().forEach((key, value) -> values.put("catalog." + key, value));
    values.put("log.root", config.log().root());
    values.put("log.count", Integer.toString(config.log().countIfNew()));
    return new WarehouseSettings(values);
  }

  /// The settings of the catalog and of the log.
  public IcewalConfig config() {
    return IcewalConfig.of(values, "catalog of log " + values.get("log.root"));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WarehouseSettings that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /// Without values: there are secrets among them.
  @Override
  public String toString() {
    return "warehouse of log " + values.get("log.root");
  }
}
