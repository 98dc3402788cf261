package io.icewal.cli.load;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.icewal.cli.json.LineBatch;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The rows that did not go in, one JSON object a line: `{"file": …, "line": …, "row": {…},
/// "verdicts": [{"column", "rule", "value", "message"}]}`.
///
/// In mode reject the good rows of a refused batch are there too, without verdicts. A line that is
/// no JSON stands there as a string. Not thread-safe.
public final class RejectFile implements AutoCloseable {
  private final JsonGenerator out;

  public RejectFile(Path path) throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new IcewalException(
          ErrorKind.INVALID, "cannot write the rejects to " + path + ": there is no such folder");
    }
    out = new JsonFactory().createGenerator(Files.newBufferedWriter(path));
    out.setRootValueSeparator(null);
  }

  void add(String file, LineBatch batch, int line, List<Verdict> verdicts) throws IOException {
    out.writeStartObject();
    out.writeStringField("file", file);
    out.writeNumberField("line", batch.number(line));
    out.writeFieldName("row");
    if (verdicts.stream().anyMatch(verdict -> verdict.rule().equals("json"))) {
      out.writeString(batch.text(line));
    } else {
      out.writeRawValue(batch.text(line));
    }
    out.writeArrayFieldStart("verdicts");
    for (Verdict verdict : verdicts) {
      out.writeStartObject();
      out.writeStringField("column", verdict.column());
      out.writeStringField("rule", verdict.rule());
      out.writeStringField("value", verdict.value());
      out.writeStringField("message", verdict.message());
      out.writeEndObject();
    }
    out.writeEndArray();
    out.writeEndObject();
    out.writeRaw('\n');
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
