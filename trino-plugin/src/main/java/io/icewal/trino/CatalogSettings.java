package io.icewal.trino;

import io.icewal.config.IcewalConfig;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// What a catalog file says.
///
/// `icewal.data=DIR` names an embedded warehouse, `icewal.config=FILE` the configuration that all
/// processes of a warehouse share: one of them. The properties of trino-iceberg follow from it;
/// those that the catalog file gives itself win.
///
/// @param warehouse the shared configuration
/// @param stock the properties of trino-iceberg
record CatalogSettings(IcewalConfig warehouse, Map<String, String> stock) {
  private static final String DATA = "icewal.data";
  private static final String CONFIG = "icewal.config";

  static CatalogSettings of(Map<String, String> properties) {
    Map<String, String> given = new TreeMap<>(properties);
    String data = given.remove(DATA);
    String config = given.remove(CONFIG);
    if ((data == null) == (config == null)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "a catalog of connector icewal needs one of '" + DATA + "' and '" + CONFIG + "'");
    }
    IcewalConfig warehouse =
        data == null ? IcewalConfig.load(Path.of(config)) : IcewalConfig.embedded(Path.of(data));
    Map<String, String> stock = new HashMap<>(StockProperties.of(warehouse));
    stock.putAll(given);
    return new CatalogSettings(warehouse, Map.copyOf(stock));
  }
}
