package io.icewal.cli.output;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Prints a JDBC result of Trino's, in batches of [#BATCH_ROWS] rows. Not thread-safe.
public final class ResultRows extends ResultBatches<SQLException> {
  private static final int BATCH_ROWS = 1000;

  private final ResultSet result;
  private final List<ResultColumn> columns = new ArrayList<>();
  private boolean ended;

  /// @param result stays the caller's
  public ResultRows(ResultSet result) throws SQLException {
    this.result = result;
    ResultSetMetaData header = result.getMetaData();
    for (int i = 1; i <= header.getColumnCount(); i++) {
      columns.add(
          ResultColumn.of(header.getColumnLabel(i), header.getColumnTypeName(i), BATCH_ROWS));
    }
  }

  @Override
  List<Cell> cells() {
    return columns.stream().map(column -> column.cell).toList();
  }

  @Override
  int nextBatch() throws SQLException, IOException {
    int rows = 0;
    if (ended) {
      return rows;
    }
    while (rows < BATCH_ROWS && result.next()) {
      for (int i = 0; i < columns.size(); i++) {
        columns.get(i).take(result, i + 1, rows);
      }
      rows++;
    }
    ended = rows < BATCH_ROWS;
    return rows;
  }
}
