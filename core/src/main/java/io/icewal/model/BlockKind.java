package io.icewal.model;

/// What the rows of a block, or of a batch on its way into one, mean. On an append-only table the
/// only kind with rows is [#UPSERT], and every row is kept.
public enum BlockKind {
  /// Every row becomes the live row of its key (or, without a key, one more row).
  UPSERT,
  /// Every row names a key that no longer has a live row; only key columns are stored.
  DELETE,
  /// Each row's `_op` column says which of the two it is: see [RowOp].
  MIXED,
  /// All rows of the table so far are gone. The block has no rows.
  TRUNCATE,
  /// The table is due for materialization now. The block has no rows.
  FLUSH
}
