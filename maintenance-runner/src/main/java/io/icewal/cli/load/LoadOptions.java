package io.icewal.cli.load;

import io.icewal.protocol.PutMode;
import io.icewal.protocol.PutOp;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// What a load is to do with its files.
///
/// @param op UPSERT or DELETE
/// @param batchRows rows a batch
/// @param producer names the load for ever, so that running it again doubles nothing; null: a new
///   name for each run
public record LoadOptions(
    TableIdentifier table, PutMode mode, PutOp op, int batchRows, @Nullable String producer) {
  public static final int BATCH_ROWS_DEFAULT = 10_000;
  public static final int BATCH_ROWS_MAX = 1_000_000;

  public LoadOptions {
    if (op == PutOp.COLUMN) {
      throw new IllegalArgumentException("a load upserts or deletes, one for all rows");
    }
    if (batchRows < 1 || batchRows > BATCH_ROWS_MAX) {
      throw new IllegalArgumentException(
          "batch must be 1 to " + BATCH_ROWS_MAX + " rows, got " + batchRows);
    }
  }
}
