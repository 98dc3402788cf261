package io.icewal.cli.output;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// Prints a JDBC result of Trino's, in batches of [#BATCH_ROWS] rows. Not thread-safe.
public final class ResultRows {
  private static final int BATCH_ROWS = 1000;

  private final ResultSet result;
  private final List<ResultColumn> columns = new ArrayList<>();

  /// @param result stays the caller's
  public ResultRows(ResultSet result) throws SQLException {
    this.result = result;
    ResultSetMetaData header = result.getMetaData();
    for (int i = 1; i <= header.getColumnCount(); i++) {
      columns.add(
          ResultColumn.of(header.getColumnLabel(i), header.getColumnTypeName(i), BATCH_ROWS));
    }
  }

  /// For formats in which a value is found by its column's name.
  ///
  /// @throws IcewalException INVALID if a name stands twice
  public void requireDistinctNames() {
    Set<String> names = new HashSet<>();
    for (ResultColumn column : columns) {
      if (!names.add(column.cell.name)) {
        throw new IcewalException(
            ErrorKind.INVALID,
            "two columns are called '" + column.cell.name + "'; give one another name with AS");
      }
    }
  }

  /// Prints all rows, and the printer's end.
  ///
  /// @param enough whether nobody reads on; looked at after each batch
  public void print(TextPrinter printer, BooleanSupplier enough) throws IOException, SQLException {
    List<Cell> cells = columns.stream().map(column -> column.cell).toList();
    int rows;
    do {
      rows = nextBatch();
      printer.print(cells, rows);
    } while (rows == BATCH_ROWS && !enough.getAsBoolean());
    if (!enough.getAsBoolean()) {
      printer.end();
    }
  }

  private int nextBatch() throws SQLException, IOException {
    int rows = 0;
    while (rows < BATCH_ROWS && result.next()) {
      for (int i = 0; i < columns.size(); i++) {
        columns.get(i).take(result, i + 1, rows);
      }
      rows++;
    }
    return rows;
  }
}
