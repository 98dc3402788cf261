package io.icewal.flight;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.vector.types.pojo.Field;

/// What Arrow's reader takes on trust and a hostile sender would use. Everything refused is
/// INVALID.
///
/// @param rowsMax rows of one batch
record MessageChecks(int rowsMax) {
  /// Fields of a schema, nested ones too.
  private static final int FIELDS_MAX = 1 << 16;

  /// Fields within fields. A map counts twice, a dictionary not at all.
  private static final int DEPTH_MAX = 256;

  private record Nested(org.apache.arrow.flatbuf.Field field, int depth) {}

  /// Fields are unfolded one by one before Arrow does so: in the message two fields may share one
  /// child, and that theirs, so that few bytes name more fields than there is memory.
  static void checkSchema(Message message) {
    Schema schema = (Schema) message.header(new Schema());
    if (schema.endianness() != Endianness.Little) {
      throw invalid("stream is big-endian; only little-endian Arrow data is taken");
    }
    Deque<Nested> waiting = new ArrayDeque<>();
    int found = checkCount(schema.fieldsLength());
    for (int i = 0; i < schema.fieldsLength(); i++) {
      waiting.push(new Nested(schema.fields(i), 1));
    }
    while (!waiting.isEmpty()) {
      Nested next = waiting.pop();
      if (next.depth() > DEPTH_MAX) {
        throw invalid("schema is nested more than " + DEPTH_MAX + " fields deep");
      }
      int children = next.field().childrenLength();
      found = checkCount((long) found + children);
      for (int i = 0; i < children; i++) {
        waiting.push(new Nested(next.field().children(i), next.depth() + 1));
      }
    }
  }

  private static int checkCount(long fields) {
    if (fields > FIELDS_MAX) {
      throw invalid("schema has more than " + FIELDS_MAX + " fields");
    }
    return (int) fields;
  }

  /// Lengths and places, against each other and against the body.
  ///
  /// @param fields the schema of the batch
  void checkBatch(RecordBatch batch, List<Field> fields, long bodyBytes) {
    if (batch.compression() != null) {
      throw invalid("batch with compressed buffers; send it without Arrow's IPC compression");
    }
    if (batch.length() < 0 || batch.length() > rowsMax) {
      throw invalid(
          "batch of " + batch.length() + " rows; at most " + rowsMax + " are taken at once");
    }
    checkBuffers(batch, bodyBytes);
    int node = 0;
    for (Field field : fields) {
      if (node < batch.nodesLength() && batch.nodes(node).length() != batch.length()) {
        throw invalid(
            "column '"
                + field.getName()
                + "' of "
                + batch.nodes(node).length()
                + " values in a batch of "
                + batch.length()
                + " rows");
      }
      node += count(field);
    }
    // Validity bits are made up where none are sent: as many as a column says that it has values.
    long valuesMax = Math.max(rowsMax, Byte.SIZE * bodyBytes);
    for (int i = 0; i < batch.nodesLength(); i++) {
      if (batch.nodes(i).length() < 0 || batch.nodes(i).length() > valuesMax) {
        throw invalid(
            "column of " + batch.nodes(i).length() + " values in " + bodyBytes + " bytes");
      }
    }
  }

  private static void checkBuffers(RecordBatch batch, long bodyBytes) {
    for (int i = 0; i < batch.buffersLength(); i++) {
      long offset = batch.buffers(i).offset();
      long length = batch.buffers(i).length();
      if (offset < 0 || length < 0 || offset > bodyBytes || length > bodyBytes - offset) {
        throw invalid(
            "batch with a buffer at "
                + offset
                + " of "
                + length
                + " bytes, its body has "
                + bodyBytes);
      }
    }
  }

  private static int count(Field field) {
    int count = 1;
    for (Field child : field.getChildren()) {
      count += count(child);
    }
    return count;
  }

  private static IcewalException invalid(String message) {
    return new IcewalException(ErrorKind.INVALID, message);
  }
}
