package io.icewal.wal;

/// What a trim round is told about a table.
///
/// @param position its committed position, or -1 if it is not known now (the remembered one is
///   used)
/// @param choice what happens to its blocks after that position
public record TableState(long position, Choice choice) {
  /// What happens to the blocks after the position.
  public enum Choice {
    /// They wait in the log.
    KEEP,
    /// They are moved aside, so that they do not hold back the log.
    PARK,
    /// They are given up: the table is gone for good, or was replaced. Never rows of a living
    /// table.
    DROP
  }

  public TableState {
    if (position < -1) {
      throw new IllegalArgumentException("position must be >= -1, got " + position);
    }
  }

  /// A table that is materialized up to a position.
  public static TableState at(long position) {
    return new TableState(position, Choice.KEEP);
  }

  /// A table that cannot take its blocks after a position.
  public static TableState park(long position) {
    return new TableState(position, Choice.PARK);
  }

  /// A table whose position is not known now.
  public static TableState keep() {
    return new TableState(-1, Choice.KEEP);
  }

  /// A table that is gone for good, or whose rows after a position are no longer its own.
  public static TableState drop(long position) {
    return new TableState(position, Choice.DROP);
  }
}
