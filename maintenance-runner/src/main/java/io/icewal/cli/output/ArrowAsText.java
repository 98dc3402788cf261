package io.icewal.cli.output;

import java.io.IOException;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;

/// Prints Arrow batches as text.
public final class ArrowAsText implements RowPrinter {
  private final TextPrinter out;
  private final Schema table;
  private @Nullable List<Cell> cells;

  /// @param out closed with this
  /// @param table tells the types of the batches' columns, by name
  public ArrowAsText(TextPrinter out, Schema table) {
    this.out = out;
    this.table = table;
  }

  @Override
  public void print(VectorSchemaRoot rows) throws IOException {
    List<Cell> row = cells == null ? Cells.of(rows, table) : cells;
    cells = row;
    out.print(row, rows.getRowCount());
  }

  @Override
  public void end() throws IOException {
    out.end();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
