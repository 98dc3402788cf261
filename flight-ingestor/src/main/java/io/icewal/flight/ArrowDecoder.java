package io.icewal.flight;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.DictionaryUtility;
import org.apache.arrow.vector.util.VectorAppender;
import org.jspecify.annotations.Nullable;

/// Turns the Arrow messages of one put stream into batches: a schema, then dictionaries and record
/// batches in any order. A dictionary that comes again replaces the former one; a *delta* is added
/// to its end.
///
/// Whatever a client sends ends in a batch or in an [IcewalException] of kind INVALID (UNAVAILABLE
/// when there is no memory). Owns the current batch and the dictionaries. Not thread-safe.
final class ArrowDecoder implements AutoCloseable {
  private final BufferAllocator allocator;
  private final int rowsMax;
  private final Map<Long, Dictionary> dictionaries = new HashMap<>();
  private final MapDictionaryProvider provider = new MapDictionaryProvider();
  private @Nullable VectorSchemaRoot root;

  ArrowDecoder(BufferAllocator allocator, int rowsMax) {
    this.allocator = allocator;
    this.rowsMax = rowsMax;
  }

  /// The kind of a message, one of [MessageHeader]'s.
  ///
  /// @param header a message without its body
  static byte kind(byte[] header) {
    return decode("message", () -> message(header).headerType());
  }

  /// Takes the schema in.
  ///
  /// @return the schema as it stands in memory: dictionary-encoded fields have their index's type
  Schema readSchema(byte[] header) {
    if (root != null) {
      throw new IcewalException(ErrorKind.INVALID, "stream with a second schema");
    }
    return decode(
        "schema",
        () -> {
          Message message = message(header);
          requireLittleEndian(message);
          Schema sent = MessageSerializer.deserializeSchema(message);
          List<Field> fields = new ArrayList<>();
          for (Field field : sent.getFields()) {
            fields.add(DictionaryUtility.toMemoryFormat(field, allocator, dictionaries));
          }
          dictionaries.values().forEach(provider::put);
          Schema schema = new Schema(fields, sent.getCustomMetadata());
          root = VectorSchemaRoot.create(schema, allocator);
          return schema;
        });
  }

  private static void requireLittleEndian(Message message) {
    org.apache.arrow.flatbuf.Schema schema =
        (org.apache.arrow.flatbuf.Schema) message.header(new org.apache.arrow.flatbuf.Schema());
    if (schema.endianness() != Endianness.Little) {
      throw new IcewalException(
          ErrorKind.INVALID, "stream is big-endian; only little-endian Arrow data is taken");
    }
  }

  /// The dictionaries as the next batch needs them.
  DictionaryProvider dictionaries() {
    return provider;
  }

  /// Takes a dictionary in.
  ///
  /// @param body becomes the decoder's
  void readDictionary(byte[] header, @Nullable ArrowBuf body) {
    decode(
        "dictionary",
        () -> {
          DictionaryBatch batch = (DictionaryBatch) message(header).header(new DictionaryBatch());
          try (ArrowRecordBatch values = recordBatch(batch.data(), body)) {
            Dictionary dictionary = dictionaries.get(batch.id());
            if (dictionary == null) {
              throw new IcewalException(
                  ErrorKind.INVALID,
                  "dictionary " + batch.id() + " belongs to no column of the schema");
            }
            if (batch.isDelta()) {
              append(dictionary.getVector(), values);
            } else {
              load(dictionary.getVector(), values);
            }
          }
          return null;
        });
  }

  private void append(FieldVector dictionary, ArrowRecordBatch values) {
    try (FieldVector delta = dictionary.getField().createVector(allocator)) {
      load(delta, values);
      delta.accept(new VectorAppender(dictionary), null);
    }
  }

  private static void load(FieldVector vector, ArrowRecordBatch values) {
    VectorSchemaRoot single = new VectorSchemaRoot(List.of(vector.getField()), List.of(vector), 0);
    new VectorLoader(single).load(values);
  }

  /// Takes a batch in.
  ///
  /// @param body becomes the decoder's
  /// @return the batch; the decoder's, until the next or [#clear]
  VectorSchemaRoot readBatch(byte[] header, @Nullable ArrowBuf body) {
    return decode(
        "record batch",
        () -> {
          RecordBatch batch = (RecordBatch) message(header).header(new RecordBatch());
          try (ArrowRecordBatch columns = recordBatch(batch, body)) {
            VectorSchemaRoot target = root;
            if (target == null) {
              throw new IcewalException(ErrorKind.INVALID, "batch before the schema");
            }
            target.clear();
            new VectorLoader(target).load(columns);
            return target;
          }
        });
  }

  /// Lets go of the current batch.
  void clear() {
    if (root != null) {
      root.clear();
    }
  }

  private ArrowRecordBatch recordBatch(RecordBatch batch, @Nullable ArrowBuf sent)
      throws IOException {
    ArrowBuf body = sent == null ? allocator.getEmpty() : sent;
    boolean taken = false;
    try {
      check(batch, body.capacity());
      ArrowRecordBatch columns = MessageSerializer.deserializeRecordBatch(batch, body);
      taken = true;
      return columns;
    } finally {
      if (!taken) {
        body.close();
      }
    }
  }

  /// What Arrow's reader takes on trust.
  private void check(RecordBatch batch, long bodyBytes) {
    if (batch.compression() != null) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "batch with compressed buffers; send it without Arrow's IPC compression");
    }
    if (batch.length() < 0 || batch.length() > rowsMax) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "batch of " + batch.length() + " rows; at most " + rowsMax + " are taken at once");
    }
    for (int i = 0; i < batch.buffersLength(); i++) {
      long offset = batch.buffers(i).offset();
      long length = batch.buffers(i).length();
      if (offset < 0 || length < 0 || offset > bodyBytes || length > bodyBytes - offset) {
        throw new IcewalException(
            ErrorKind.INVALID,
            "batch with a buffer at "
                + offset
                + " of "
                + length
                + " bytes, its body has "
                + bodyBytes);
      }
    }
  }

  private static Message message(byte[] header) {
    return Message.getRootAsMessage(ByteBuffer.wrap(header));
  }

  /// One step of decoding.
  private interface Step<T extends @Nullable Object> {
    T run() throws IOException;
  }

  private static <T extends @Nullable Object> T decode(String what, Step<T> step) {
    try {
      return step.run();
    } catch (IcewalException e) {
      throw e;
    } catch (OutOfMemoryException e) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE, "not taken: no memory for a " + what + " now", e);
    } catch (IOException | RuntimeException e) {
      // The bytes are a client's: flatbuffers and vectors answer nonsense with many exceptions.
      throw new IcewalException(
          ErrorKind.INVALID, "not a valid Arrow " + what + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    if (root != null) {
      root.close();
    }
    dictionaries.values().forEach(dictionary -> dictionary.getVector().close());
  }
}
