package io.icewal.protocol;

/// What the rows of a put stream mean.
public enum PutOp {
  /// Every row becomes the live row of its key (or, without a key, one more row).
  UPSERT,
  /// Every row names a key to delete.
  DELETE,
  /// The stream's column `_op` says it row by row.
  COLUMN
}
