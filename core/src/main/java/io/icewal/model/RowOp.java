package io.icewal.model;

/// The values of the `_op` column (int8) in a [BlockKind#MIXED] batch or block.
public final class RowOp {
  /// Name of the column. No table may have a column of this name.
  public static final String COLUMN = "_op";

  public static final byte UPSERT = 0;
  public static final byte DELETE = 1;

  private RowOp() {}
}
