package io.icewal.cli.output;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Aligned columns for people. The widths come from the first [#SAMPLE_ROWS] rows; longer values
/// are cut at [#CELL_CHARS_MAX] with `…`.
public final class TablePrinter implements TextPrinter {
  static final int SAMPLE_ROWS = 1000;
  static final int CELL_CHARS_MAX = 48;

  private final PrintStream out;
  private final List<List<String>> sample = new ArrayList<>();
  private @Nullable List<Cell> cells;
  private @Nullable TextTable text;
  private long rows;

  public TablePrinter(PrintStream out) {
    this.out = out;
  }

  @Override
  public void print(List<Cell> row, int count) throws IOException {
    cells = row;
    for (int i = 0; i < count; i++) {
      List<String> line = new ArrayList<>();
      for (Cell cell : row) {
        line.add(cell.isNull(i) ? "null" : shown(cell.text(i)));
      }
      rows++;
      if (text != null) {
        text.printRow(line);
      } else {
        sample.add(line);
        if (sample.size() == SAMPLE_ROWS) {
          printSample(row);
        }
      }
    }
  }

  @Override
  public void end() {
    printHeld();
    out.println("(" + rows + (rows == 1 ? " row)" : " rows)"));
  }

  @Override
  public void close() {
    printHeld();
    out.flush();
  }

  private void printHeld() {
    if (text == null && cells != null) {
      printSample(cells);
    }
  }

  private void printSample(List<Cell> row) {
    List<String> header = new ArrayList<>();
    List<TextTable.Align> align = new ArrayList<>();
    for (Cell cell : row) {
      header.add(shown(cell.name));
      align.add(cell.isBare() ? TextTable.Align.RIGHT : TextTable.Align.LEFT);
    }
    text = new TextTable(out, header, align, sample);
    text.printHeader();
    sample.forEach(text::printRow);
    sample.clear();
  }

  /// Control characters would let a value move the cursor or break the table.
  private static String shown(String value) {
    StringBuilder shown = new StringBuilder();
    int[] points = value.codePoints().limit(CELL_CHARS_MAX + 1L).toArray();
    for (int i = 0; i < Math.min(points.length, CELL_CHARS_MAX); i++) {
      boolean last = i == CELL_CHARS_MAX - 1 && points.length > CELL_CHARS_MAX;
      shown.appendCodePoint(last ? '…' : Character.isISOControl(points[i]) ? ' ' : points[i]);
    }
    return shown.toString();
  }
}
