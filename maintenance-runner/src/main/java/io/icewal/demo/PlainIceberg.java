package io.icewal.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;

/// Reads a table with Iceberg's own reader and nothing of icewal.
public final class PlainIceberg {
  /// @param rows live rows
  /// @param sum sum of the column over them, nulls left out
  public record Totals(long rows, long sum) {}

  private PlainIceberg() {}

  /// @param column a bigint column
  public static Totals totals(Table table, String column) {
    long rows = 0;
    long sum = 0;
    try (CloseableIterable<Record> records = IcebergGenerics.read(table).select(column).build()) {
      for (Record row : records) {
        Object value = row.getField(column);
        rows++;
        sum += value == null ? 0 : (Long) value;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + table.name(), e);
    }
    return new Totals(rows, sum);
  }
}
