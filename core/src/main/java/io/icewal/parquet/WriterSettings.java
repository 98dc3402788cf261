package io.icewal.parquet;

import java.util.List;
import java.util.Map;
import org.apache.iceberg.MetricsConfig;

/// How [ParquetColumnWriter] writes a file.
///
/// @param rowGroupBytes a row group is closed when its encoded bytes reach this
/// @param pageBytes a page is closed when its plain bytes reach this
/// @param compressionLevel zstd level of the pages
/// @param keyFieldIds field ids of the key by which the rows are sorted, ascending; empty if they
///   are not. The file is marked with them and the columns are kept searchable
/// @param metadata further footer entries
/// @param metrics which Iceberg metrics to keep for which column
public record WriterSettings(
    long rowGroupBytes,
    int pageBytes,
    int compressionLevel,
    List<Integer> keyFieldIds,
    Map<String, String> metadata,
    MetricsConfig metrics) {
  /// As Iceberg's default: large enough to scan well, small enough to hold in memory.
  public static final long ROW_GROUP_BYTES_DEFAULT = 128L << 20;

  /// As Iceberg's default.
  public static final int PAGE_BYTES_DEFAULT = 1 << 20;

  /// Level 1 costs half the CPU of level 3 for a few percent more bytes.
  public static final int COMPRESSION_LEVEL_DEFAULT = 1;

  public WriterSettings {
    keyFieldIds = List.copyOf(keyFieldIds);
    metadata = Map.copyOf(metadata);
    if (rowGroupBytes < 1 || pageBytes < 1) {
      throw new IllegalArgumentException(
          "row group and page need room, got " + rowGroupBytes + " and " + pageBytes + " bytes");
    }
  }

  /// The defaults, for rows in no order.
  public static WriterSettings unsorted(MetricsConfig metrics) {
    return sorted(metrics, List.of());
  }

  /// The defaults, for rows sorted by the given key.
  public static WriterSettings sorted(MetricsConfig metrics, List<Integer> keyFieldIds) {
    return new WriterSettings(
        ROW_GROUP_BYTES_DEFAULT,
        PAGE_BYTES_DEFAULT,
        COMPRESSION_LEVEL_DEFAULT,
        keyFieldIds,
        Map.of(),
        metrics);
  }

  /// The same with other row group and page bounds.
  public WriterSettings withSizes(long newRowGroupBytes, int newPageBytes) {
    return new WriterSettings(
        newRowGroupBytes, newPageBytes, compressionLevel, keyFieldIds, metadata, metrics);
  }
}
