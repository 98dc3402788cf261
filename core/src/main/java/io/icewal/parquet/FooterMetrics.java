package io.icewal.parquet;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.MetricsUtil;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.parquet.ParquetSchemaUtil;
import org.apache.iceberg.types.TypeUtil;
import org.apache.parquet.schema.MessageType;

/// Which metrics to take from a footer for which column. Iceberg looks for a column's mode under
/// the name that the footer has for it, and that is not the table's where it has other characters
/// than letters, digits and `_`: Iceberg writes `a.b` as `a_x2Eb`.
final class FooterMetrics {
  private FooterMetrics() {}

  static MetricsConfig config(Schema schema, MessageType type, MetricsConfig metrics) {
    Schema footer = ParquetSchemaUtil.convert(type);
    Map<String, String> modes = new HashMap<>();
    boolean same = true;
    for (int id : TypeUtil.indexById(schema.asStruct()).keySet()) {
      String name = footer.findColumnName(id);
      if (name != null) {
        same &= name.equals(schema.findColumnName(id));
        modes.put(
            TableProperties.METRICS_MODE_COLUMN_CONF_PREFIX + name,
            MetricsUtil.metricsMode(schema, metrics, id).toString());
      }
    }
    return same ? metrics : MetricsConfig.from(modes, null, null);
  }
}
