package io.icewal.cli.output;

import java.io.PrintStream;
import java.util.List;

/// Aligned text columns.
public final class TextTable {
  /// On which side the blanks are not.
  public enum Align {
    LEFT,
    RIGHT
  }

  private static final String GAP = "  ";

  private final PrintStream out;
  private final List<String> header;
  private final List<Align> align;
  private final int[] widths;

  /// @param sample the rows that the widths are taken from
  public TextTable(
      PrintStream out, List<String> header, List<Align> align, List<List<String>> sample) {
    this.out = out;
    this.header = header;
    this.align = align;
    this.widths = new int[header.size()];
    measure(header);
    sample.forEach(this::measure);
  }

  private void measure(List<String> row) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], width(row.get(i)));
    }
  }

  public void printHeader() {
    printRow(header);
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      line.append(i == 0 ? "" : GAP).append("-".repeat(widths[i]));
    }
    out.println(line);
  }

  public void printRow(List<String> row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = row.get(i);
      String blanks = " ".repeat(Math.max(0, widths[i] - width(cell)));
      boolean right = align.get(i) == Align.RIGHT;
      line.append(i == 0 ? "" : GAP);
      line.append(right ? blanks : "").append(cell).append(right ? "" : blanks);
    }
    out.println(line.toString().stripTrailing());
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }
}
