package io.icewal.spark.read;

import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.DataType;
import org.jspecify.annotations.Nullable;

/// A metadata column that may be null.
final class NullableMetadataColumn implements MetadataColumn {
  private final MetadataColumn column;

  private NullableMetadataColumn(MetadataColumn column) {
    this.column = column;
  }

  static MetadataColumn of(MetadataColumn column) {
    return column.isNullable() ? column : new NullableMetadataColumn(column);
  }

  @Override
  public String name() {
    return column.name();
  }

  @Override
  public DataType dataType() {
    return column.dataType();
  }

  @Override
  public boolean isNullable() {
    return true;
  }

  @Override
  public @Nullable String comment() {
    return column.comment();
  }

  @Override
  public @Nullable Transform transform() {
    return column.transform();
  }

  @Override
  public @Nullable String metadataInJSON() {
    return column.metadataInJSON();
  }
}
