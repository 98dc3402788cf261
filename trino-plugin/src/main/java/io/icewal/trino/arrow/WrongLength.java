package io.icewal.trino.arrow;

/// Bytes do not have the length that their column prescribes.
public final class WrongLength extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String column;
  private final int row;

  WrongLength(String column, int row, int length, int expected) {
    super("it has " + length + " bytes, expected " + expected);
    this.column = column;
    this.row = row;
  }

  public String column() {
    return column;
  }

  /// Its index in the block.
  public int row() {
    return row;
  }
}
