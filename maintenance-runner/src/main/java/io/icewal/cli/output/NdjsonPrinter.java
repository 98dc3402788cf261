package io.icewal.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;

/// One JSON object a line, in the form that `load` reads.
public final class NdjsonPrinter implements RowPrinter {
  static final JsonFactory JSON =
      JsonFactory.builder().enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8).build();

  private final Schema table;
  private final JsonGenerator out;
  private @Nullable List<Cell> cells;

  public NdjsonPrinter(OutputStream out, Schema table) throws IOException {
    this.table = table;
    this.out = JSON.createGenerator(out);
    this.out.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    this.out.setRootValueSeparator(null);
  }

  @Override
  public void print(VectorSchemaRoot rows) throws IOException {
    List<Cell> row = cells == null ? Cells.of(rows, table) : cells;
    cells = row;
    for (int i = 0; i < rows.getRowCount(); i++) {
      out.writeStartObject();
      for (Cell cell : row) {
        out.writeFieldName(cell.vector.getName());
        cell.json(out, i);
      }
      out.writeEndObject();
      out.writeRaw('\n');
    }
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
