package io.icewal.cli.output;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.jspecify.annotations.Nullable;

/// An Arrow IPC stream, as `pyarrow.ipc.open_stream` reads it.
public final class ArrowPrinter implements RowPrinter {
  private final OutputStream out;
  private @Nullable ArrowStreamWriter writer;

  public ArrowPrinter(OutputStream out) {
    this.out = out;
  }

  @Override
  public void print(VectorSchemaRoot rows) throws IOException {
    ArrowStreamWriter stream = writer;
    if (stream == null) {
      stream = new ArrowStreamWriter(rows, null, Channels.newChannel(out));
      writer = stream;
      stream.start();
    }
    stream.writeBatch();
  }

  @Override
  public void end() throws IOException {
    // Not closed: that would close the caller's root and stream.
    if (writer != null) {
      writer.end();
    }
  }

  @Override
  public void close() throws IOException {
    out.flush();
  }
}
