package io.icewal.cli.output;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// RFC 4180 with a header line. A null is an empty field, an empty string is `""`, a nested value
/// is JSON.
public final class CsvPrinter implements TextPrinter {
  private final Writer out;
  private boolean started;

  public CsvPrinter(OutputStream out) {
    this.out = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
  }

  @Override
  public void print(List<Cell> row, int rows) throws IOException {
    if (!started) {
      header(row);
      started = true;
    }
    for (int i = 0; i < rows; i++) {
      for (int column = 0; column < row.size(); column++) {
        if (column > 0) {
          out.write(',');
        }
        Cell cell = row.get(column);
        if (!cell.isNull(i)) {
          out.write(quote(cell.text(i)));
        }
      }
      out.write("\r\n");
    }
    out.flush();
  }

  private void header(List<Cell> row) throws IOException {
    for (int column = 0; column < row.size(); column++) {
      out.write(column > 0 ? "," : "");
      out.write(quote(row.get(column).name));
    }
    out.write("\r\n");
  }

  private static String quote(String text) {
    boolean plain = !text.isEmpty() && text.chars().noneMatch(c -> ",\"\r\n".indexOf(c) >= 0);
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  @Override
  public void close() throws IOException {
    out.flush();
  }
}
