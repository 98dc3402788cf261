package io.icewal.cli.output;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/// One JSON array of an object a row, on one line. An array that breaks off has no end.
public final class JsonArrayPrinter implements TextPrinter {
  private final JsonGenerator out;
  private boolean started;

  public JsonArrayPrinter(OutputStream out) throws IOException {
    this.out = NdjsonPrinter.generator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_JSON_CONTENT);
  }

  @Override
  public void print(List<Cell> row, int rows) throws IOException {
    start();
    for (int i = 0; i < rows; i++) {
      NdjsonPrinter.writeRow(out, row, i);
    }
    out.flush();
  }

  private void start() throws IOException {
    if (!started) {
      out.writeStartArray();
      started = true;
    }
  }

  @Override
  public void end() throws IOException {
    start();
    out.writeEndArray();
    out.writeRaw('\n');
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
