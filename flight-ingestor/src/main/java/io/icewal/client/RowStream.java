package io.icewal.client;

import io.icewal.model.Position;
import io.icewal.protocol.Errors;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/// The batches of one read. Each batch is valid until the next is asked for; the stream owns them.
/// Not thread-safe. Closing it early ends the read on the server too.
public final class RowStream implements Iterator<VectorSchemaRoot>, AutoCloseable {
  /// Keys in the schema's metadata that say what the read saw.
  public static final String END_KEY = "icewal.end";

  private final FlightStream stream;
  private boolean ahead;
  private boolean over;

  RowStream(FlightStream stream) {
    this.stream = stream;
  }

  /// The schema of all batches; every field carries its Iceberg field id.
  public Schema schema() {
    try {
      return stream.getSchema();
    } catch (FlightRuntimeException e) {
      throw Errors.received(e);
    }
  }

  /// The log's end that the read saw, or null for a read without tail.
  public @Nullable Position end() {
    String end = schema().getCustomMetadata().get(END_KEY);
    return end == null ? null : Position.parse(end);
  }

  @Override
  public boolean hasNext() {
    try {
      while (!ahead && !over) {
        over = !stream.next();
        ahead = !over && stream.getRoot().getRowCount() > 0;
      }
      return ahead;
    } catch (FlightRuntimeException e) {
      over = true;
      throw Errors.received(e);
    }
  }

  @Override
  public VectorSchemaRoot next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the read is over");
    }
    ahead = false;
    return stream.getRoot();
  }

  @Override
  public void close() {
    try {
      stream.close();
    } catch (FlightRuntimeException e) {
      throw Errors.received(e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("read stream does not close", e);
    }
  }
}
