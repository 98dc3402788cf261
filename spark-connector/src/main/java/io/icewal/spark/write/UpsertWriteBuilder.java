package io.icewal.spark.write;

import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;

/// Writes into a table with a primary key, where appended rows replace those of their key: it takes
/// streams in update mode, too. Used by one thread.
public final class UpsertWriteBuilder implements SupportsTruncate, SupportsStreamingUpdateAsAppend {
  private final LogWriteBuilder rows;

  public UpsertWriteBuilder(LogWriteBuilder rows) {
    this.rows = rows;
  }

  @Override
  public WriteBuilder truncate() {
    return rows.truncate();
  }

  @Override
  public Write build() {
    return rows.build();
  }
}
