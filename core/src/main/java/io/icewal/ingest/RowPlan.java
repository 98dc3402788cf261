package io.icewal.ingest;

import io.icewal.model.BlockKind;
import io.icewal.wal.BlockHeader;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.types.TypeUtil;

/// How the batches of one stream become rows of one table.
final class RowPlan {
  private RowPlan() {}

  static RowPlan of(
      IngestTable table, StreamOptions.Op op, Schema arrowSchema, DictionaryProvider dictionaries) {
    throw new UnsupportedOperationException();
  }

  static org.apache.iceberg.Schema keySchema(IngestTable table) {
    return new org.apache.iceberg.Schema(
        TypeUtil.select(table.schema(), table.keyFieldIds()).columns(), table.keyFieldIds());
  }

  BlockHeader header(BlockKind kind) {
    throw new UnsupportedOperationException();
  }
}
