package io.icewal.spark.session;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes what the process answers. Used by one thread.
final class Answers {
  private static final Logger LOG = LoggerFactory.getLogger(Answers.class);
  private static final JsonFactory JSON = new JsonFactory();
  private static final int BATCH_ROWS = 1000;

  private final OutputStream out;
  private List<StructField> columns = List.of();
  private JsonGenerator rows = JSON.createGenerator(OutputStream.nullOutputStream());
  private int rowsInBatch;

  Answers(OutputStream out) throws IOException {
    this.out = new BufferedOutputStream(out, 1 << 16);
  }

  private interface Content {
    void write(JsonGenerator line) throws IOException;
  }

  private JsonGenerator line() throws IOException {
    return JSON.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
  }

  private void write(Content content) throws IOException {
    try (JsonGenerator line = line()) {
      line.writeStartObject();
      content.write(line);
      line.writeEndObject();
    }
    out.write('\n');
    out.flush();
  }

  void ready() throws IOException {
    write(line -> line.writeBooleanField("ready", true));
  }

  void done() throws IOException {
    write(line -> line.writeBooleanField("done", true));
  }

  void columns(StructType schema) throws IOException {
    columns = List.of(schema.fields());
    write(
        line -> {
          line.writeArrayFieldStart("columns");
          for (StructField column : columns) {
            line.writeStartObject();
            line.writeStringField("name", column.name());
            line.writeStringField("kind", ValueText.kind(column.dataType()).name());
            line.writeEndObject();
          }
          line.writeEndArray();
        });
  }

  void row(Row row) throws IOException {
    if (rowsInBatch == 0) {
      rows = line();
      rows.writeStartObject();
      rows.writeArrayFieldStart("rows");
    }
    rows.writeStartArray();
    for (int i = 0; i < columns.size(); i++) {
      if (row.isNullAt(i)) {
        rows.writeNull();
      } else {
        rows.writeString(ValueText.of(row.get(i), columns.get(i).dataType()));
      }
    }
    rows.writeEndArray();
    rowsInBatch++;
    if (rowsInBatch == BATCH_ROWS) {
      endBatch();
    }
  }

  private void endBatch() throws IOException {
    if (rowsInBatch > 0) {
      rows.writeEndArray();
      rows.writeEndObject();
      rows.close();
      out.write('\n');
      out.flush();
      rowsInBatch = 0;
    }
  }

  void end() throws IOException {
    endBatch();
    write(line -> line.writeBooleanField("end", true));
  }

  void error(Exception error) throws IOException {
    StatementError told = StatementError.of(error);
    endBatch();
    write(
        line -> {
          line.writeObjectFieldStart("error");
          line.writeStringField("kind", told.kind().name());
          line.writeStringField("message", told.message());
          line.writeEndObject();
        });
    LOG.warn("a statement failed", error);
  }
}
