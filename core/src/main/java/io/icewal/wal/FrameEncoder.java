package io.icewal.wal;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import io.icewal.model.ArrowSchemas;
import io.icewal.model.RowBatch;
import io.icewal.model.RowOp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Rows as frames: Arrow vectors to an IPC stream to zstd, in one pass.
///
/// 1. Arrow's serializer writes message by message; large buffers are handed to zstd where they
///    lie, small pieces are collected first (one native call for many).
/// 2. zstd writes into one direct buffer, which is copied out as a chunk whenever it is full.
///
/// Not thread-safe. The buffers live as long as the encoder; what zstd needs is taken and given
/// back with each use.
final class FrameEncoder {
  static final Field OP_FIELD =
      new Field(RowOp.COLUMN, new FieldType(false, new ArrowType.Int(8, true), null), null);

  private static final int LEVEL = 1;
  private static final int COLLECT_BYTES = 64 << 10;
  private static final int COLLECT_BELOW_BYTES = 8 << 10;
  private static final int CHUNK_BYTES = 256 << 10;

  /// A frame without the UUID that a part has in front.
  record Frame(List<byte[]> chunks, int length, int rawLength) {}

  private final ByteBuffer collected = ByteBuffer.allocateDirect(COLLECT_BYTES);
  private final ByteBuffer compressed = ByteBuffer.allocateDirect(CHUNK_BYTES);
  private List<byte[]> chunks = new ArrayList<>();
  private long length;
  private long rawLength;

  /// @param columns the columns to write, in order
  /// @param batches rows that have them
  /// @param ops whether the batches' op column comes last
  /// @throws IllegalArgumentException if a batch's columns are not what the header says, or the
  ///   rows are more than one part may hold
  Frame encode(List<NestedField> columns, List<RowBatch> batches, boolean ops) {
    List<Field> fields = new ArrayList<>(columns.stream().map(ArrowSchemas::toArrow).toList());
    if (ops) {
      fields.add(OP_FIELD);
    }
    try (ZstdCompressCtx zstd = new ZstdCompressCtx();
        WriteChannel out = new WriteChannel(new Compressor(zstd))) {
      begin(zstd);
      MessageSerializer.serialize(out, new Schema(fields));
      for (RowBatch batch : batches) {
        write(out, columns, fields, batch, ops);
      }
      out.writeIntLittleEndian(MessageSerializer.IPC_CONTINUATION_TOKEN);
      out.writeIntLittleEndian(0);
      return end(zstd);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(
      WriteChannel out, List<NestedField> columns, List<Field> fields, RowBatch batch, boolean ops)
      throws IOException {
    List<FieldVector> vectors = new ArrayList<>(fields.size());
    for (int i = 0; i < columns.size(); i++) {
      FieldVector vector =
          ArrowSchemas.find(batch.rows().getFieldVectors(), columns.get(i).fieldId());
      checkForm(columns.get(i), fields.get(i), vector == null ? null : vector.getField());
      if (vector != null) {
        vectors.add(vector);
      }
    }
    if (ops && batch.ops() != null) {
      vectors.add(batch.ops());
    }
    VectorSchemaRoot root = new VectorSchemaRoot(fields, vectors, batch.rowCount());
    try (ArrowRecordBatch message = new VectorUnloader(root).getRecordBatch()) {
      MessageSerializer.serialize(out, message);
    }
  }

  private static void checkForm(NestedField column, Field expected, @Nullable Field seen) {
    if (seen == null || !sameForm(expected, seen)) {
      throw new IllegalArgumentException(
          "column " + column + " must be " + expected + " in every batch, but is " + seen);
    }
  }

  private static boolean sameForm(Field expected, Field seen) {
    List<Field> children = expected.getChildren();
    if (!expected.getType().equals(seen.getType())
        || children.size() != seen.getChildren().size()) {
      return false;
    }
    for (int i = 0; i < children.size(); i++) {
      if (!sameForm(children.get(i), seen.getChildren().get(i))) {
        return false;
      }
    }
    return true;
  }

  private void begin(ZstdCompressCtx zstd) {
    zstd.setLevel(LEVEL);
    collected.clear();
    compressed.clear();
    chunks = new ArrayList<>();
    length = 0;
    rawLength = 0;
  }

  private Frame end(ZstdCompressCtx zstd) {
    collected.flip();
    boolean done = false;
    while (!done) {
      done = zstd.compressDirectByteBufferStream(compressed, collected, EndDirective.END);
      if (!done || compressed.position() > 0) {
        takeChunk();
      }
    }
    if (rawLength > SegmentCodec.FRAME_RAW_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a part of "
              + rawLength
              + " bytes; at most "
              + SegmentCodec.FRAME_RAW_BYTES_MAX
              + ": make several blocks");
    }
    return new Frame(chunks, Math.toIntExact(length), Math.toIntExact(rawLength));
  }

  private void compress(ZstdCompressCtx zstd, ByteBuffer direct) {
    while (direct.hasRemaining()) {
      zstd.compressDirectByteBufferStream(compressed, direct, EndDirective.CONTINUE);
      if (!compressed.hasRemaining()) {
        takeChunk();
      }
    }
  }

  private void takeChunk() {
    compressed.flip();
    if (compressed.hasRemaining()) {
      byte[] chunk = new byte[compressed.remaining()];
      compressed.get(chunk);
      chunks.add(chunk);
      length += chunk.length;
    }
    compressed.clear();
  }

  /// What Arrow's serializer writes to.
  private final class Compressor implements WritableByteChannel {
    private final ZstdCompressCtx zstd;

    Compressor(ZstdCompressCtx zstd) {
      this.zstd = zstd;
    }

    @Override
    public int write(ByteBuffer bytes) {
      int count = bytes.remaining();
      rawLength += count;
      if (bytes.isDirect() && count >= COLLECT_BELOW_BYTES) {
        flushCollected();
        compress(zstd, bytes);
        return count;
      }
      while (bytes.hasRemaining()) {
        if (!collected.hasRemaining()) {
          flushCollected();
        }
        int piece = Math.min(collected.remaining(), bytes.remaining());
        collected.put(bytes.slice(bytes.position(), piece));
        bytes.position(bytes.position() + piece);
      }
      return count;
    }

    private void flushCollected() {
      collected.flip();
      compress(zstd, collected);
      collected.clear();
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}
