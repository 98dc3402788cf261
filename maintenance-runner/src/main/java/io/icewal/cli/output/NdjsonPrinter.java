package io.icewal.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/// One JSON object a line, in the form that `load` reads.
public final class NdjsonPrinter implements TextPrinter {
  static final JsonFactory JSON =
      JsonFactory.builder().enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8).build();

  private final JsonGenerator out;

  public NdjsonPrinter(OutputStream out) throws IOException {
    this.out = generator(out);
    this.out.setRootValueSeparator(null);
  }

  static JsonGenerator generator(OutputStream out) throws IOException {
    return JSON.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
  }

  @Override
  public void print(List<Cell> row, int rows) throws IOException {
    for (int i = 0; i < rows; i++) {
      writeRow(out, row, i);
      out.writeRaw('\n');
    }
    out.flush();
  }

  static void writeRow(JsonGenerator out, List<Cell> row, int index) throws IOException {
    out.writeStartObject();
    for (Cell cell : row) {
      out.writeFieldName(cell.name);
      cell.json(out, index);
    }
    out.writeEndObject();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
