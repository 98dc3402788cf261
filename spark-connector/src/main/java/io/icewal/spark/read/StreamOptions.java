package io.icewal.spark.read;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// What a stream is asked for.
///
/// @param start [#EARLIEST], [#LATEST] or a position
/// @param rowsMax of a batch, unless a single file or segment has more
record StreamOptions(String start, long rowsMax) {
  /// The table's contents, then what comes.
  static final String EARLIEST = "earliest";

  /// What comes.
  static final String LATEST = "latest";

  /// Read option: where to begin.
  static final String STARTING_POSITION = "startingPosition";

  /// Read option: the most rows of a batch.
  static final String MAX_ROWS = "maxRowsPerTrigger";

  static IcewalException notOfLog(String table) {
    return new IcewalException(
        ErrorKind.INVALID,
        "a stream of table "
            + table
            + " has its contents and then its log: "
            + FreshTable.FRESH
            + " = false, other branches and ranges of snapshots are for queries alone");
  }

  static StreamOptions of(CaseInsensitiveStringMap options) {
    String start = options.getOrDefault(STARTING_POSITION, EARLIEST);
    if (!start.equals(EARLIEST) && !start.equals(LATEST)) {
      Position.parse(start);
    }
    String rows = options.get(MAX_ROWS);
    if (rows != null && !rows.matches("[1-9]\\d{0,17}")) {
      throw new IcewalException(
          ErrorKind.INVALID, MAX_ROWS + " is '" + rows + "', expected a number from 1");
    }
    return new StreamOptions(start, rows == null ? Long.MAX_VALUE : Long.parseLong(rows));
  }
}
