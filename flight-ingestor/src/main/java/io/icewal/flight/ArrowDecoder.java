package io.icewal.flight;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.FlightFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.flatbuf.DictionaryBatch;
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
import org.apache.arrow.vector.util.ValueVectorUtility;
import org.apache.arrow.vector.util.VectorAppender;
import org.jspecify.annotations.Nullable;

/// Turns the Arrow messages of one put stream into batches: a schema, then dictionaries and record
/// batches in any order. A dictionary that comes again replaces the former one; a *delta* is added
/// to its end.
///
/// Whatever a client sends ends in a batch or in an [IcewalException] of kind INVALID (UNAVAILABLE
/// when there is no memory). What Arrow's reader takes on trust is checked before: [MessageChecks].
/// Owns the current batch and the dictionaries. Not thread-safe.
final class ArrowDecoder implements AutoCloseable {
  private final BufferAllocator allocator;
  private final MessageChecks checks;
  private final long dictionaryBytesMax;
  private final Map<Long, Dictionary> dictionaries = new HashMap<>();

  /// Bytes sent for each dictionary.
  private final Map<Long, Long> dictionaryBytes = new HashMap<>();

  /// Dictionaries whose buffers were found to hold together: only to those is anything appended.
  private final Set<Long> sound = new HashSet<>();

  private final MapDictionaryProvider provider = new MapDictionaryProvider();
  private @Nullable VectorSchemaRoot root;

  /// @param rowsMax rows of one batch, and values of one dictionary message
  /// @param dictionaryBytesMax bytes of all dictionaries of the stream
  ArrowDecoder(BufferAllocator allocator, int rowsMax, long dictionaryBytesMax) {
    this.allocator = allocator;
    this.checks = new MessageChecks(rowsMax);
    this.dictionaryBytesMax = dictionaryBytesMax;
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
          MessageChecks.checkSchema(message);
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

  /// The dictionaries as the next batch needs them.
  DictionaryProvider dictionaries() {
    return provider;
  }

  /// Takes a dictionary in.
  void readDictionary(FlightFrame frame) {
    decode(
        "dictionary",
        () -> {
          DictionaryBatch batch =
              (DictionaryBatch) message(frame.header()).header(new DictionaryBatch());
          Dictionary dictionary = dictionaries.get(batch.id());
          if (dictionary == null) {
            throw new IcewalException(
                ErrorKind.INVALID,
                "dictionary " + batch.id() + " belongs to no column of the schema");
          }
          FieldVector vector = dictionary.getVector();
          count(batch, frame.bodyBytes());
          try (ArrowRecordBatch values =
              recordBatch(batch.data(), List.of(vector.getField()), frame)) {
            if (batch.isDelta()) {
              append(batch.id(), vector, values);
            } else {
              sound.remove(batch.id());
              load(vector, values);
            }
          }
          return null;
        });
  }

  private void count(DictionaryBatch batch, long bytes) {
    dictionaryBytes.merge(batch.id(), bytes, batch.isDelta() ? Long::sum : (old, now) -> now);
    long all = dictionaryBytes.values().stream().mapToLong(Long::longValue).sum();
    if (all > dictionaryBytesMax) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "dictionaries of " + all + " bytes; a stream may have " + dictionaryBytesMax);
    }
  }

  /// Arrow's appender copies as many bytes as the offsets say, wherever they lie.
  private void append(long id, FieldVector dictionary, ArrowRecordBatch values) {
    if (sound.add(id)) {
      ValueVectorUtility.validateFull(dictionary);
    }
    try (FieldVector delta = dictionary.getField().createVector(allocator)) {
      load(delta, values);
      ValueVectorUtility.validateFull(delta);
      delta.accept(new VectorAppender(dictionary), null);
    }
  }

  private static void load(FieldVector vector, ArrowRecordBatch values) {
    VectorSchemaRoot single = new VectorSchemaRoot(List.of(vector.getField()), List.of(vector), 0);
    new VectorLoader(single).load(values);
  }

  /// Takes a batch in.
  ///
  /// @return the batch; the decoder's, until the next or [#clear]
  VectorSchemaRoot readBatch(FlightFrame frame) {
    return decode(
        "record batch",
        () -> {
          VectorSchemaRoot target = root;
          if (target == null) {
            throw new IcewalException(ErrorKind.INVALID, "batch before the schema");
          }
          RecordBatch batch = (RecordBatch) message(frame.header()).header(new RecordBatch());
          try (ArrowRecordBatch columns =
              recordBatch(batch, target.getSchema().getFields(), frame)) {
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

  /// Takes the frame's body once everything said about it has been checked.
  private ArrowRecordBatch recordBatch(RecordBatch batch, List<Field> fields, FlightFrame frame)
      throws IOException {
    checks.checkBatch(batch, fields, frame.bodyBytes());
    ArrowBuf sent = frame.takeBody();
    ArrowBuf body = sent == null ? allocator.getEmpty() : sent;
    boolean taken = false;
    try {
      ArrowRecordBatch columns = MessageSerializer.deserializeRecordBatch(batch, body);
      taken = true;
      return columns;
    } finally {
      if (!taken) {
        body.close();
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
