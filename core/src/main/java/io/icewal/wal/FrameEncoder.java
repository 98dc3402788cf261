package io.icewal.wal;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.Zstd;
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

/// Rows as frames: Arrow vectors to an IPC stream to zstd.
///
/// 1. Arrow's serializer writes message by message; its bytes are collected in one buffer.
/// 2. A stream that fits into it, which is the usual case, is compressed by one call. That takes a
///    fifth less time than piece by piece: zstd copies nothing into a window of its own, and looks
///    for matches in one place instead of two.
/// 3. A longer stream is compressed piece by piece, whenever the buffer is full.
/// 4. What zstd has written is copied out in chunks: small arrays come from memory that the
///    collector has at hand.
///
/// Not thread-safe. The buffers grow with what is encoded, up to a bound, and live as long as the
/// encoder; what zstd needs is taken and given back with each use.
final class FrameEncoder {
  static final Field OP_FIELD =
      new Field(RowOp.COLUMN, new FieldType(false, new ArrowType.Int(8, true), null), null);

  private static final int LEVEL = 1;

  /// Room for a block of the size at which [AppendGroup] closes it, and its messages' headers.
  private static final int COLLECT_BYTES_MAX = (int) AppendGroup.BLOCK_RAW_BYTES_MAX + (1 << 20);

  private static final int COLLECT_BYTES_MIN = 16 << 10;
  private static final int CHUNK_BYTES = 256 << 10;

  /// A frame without the UUID that a part has in front.
  record Frame(List<byte[]> chunks, int length, int rawLength) {}

  private final int collectBytesMax;
  private ByteBuffer collected = ByteBuffer.allocateDirect(COLLECT_BYTES_MIN);
  private ByteBuffer compressed = ByteBuffer.allocateDirect(COLLECT_BYTES_MIN);
  private boolean inPieces;
  private List<byte[]> chunks = new ArrayList<>();
  private long length;
  private long rawLength;

  FrameEncoder() {
    this(COLLECT_BYTES_MAX);
  }

  /// @param collectBytesMax the longest stream that is compressed by one call
  FrameEncoder(int collectBytesMax) {
    this.collectBytesMax = collectBytesMax;
  }

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
    inPieces = false;
    chunks = new ArrayList<>();
    length = 0;
    rawLength = 0;
  }

  private Frame end(ZstdCompressCtx zstd) {
    if (inPieces) {
      compressPiece(zstd, EndDirective.END);
    } else {
      compressWhole(zstd);
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

  private void compressWhole(ZstdCompressCtx zstd) {
    collected.flip();
    makeRoom(Math.toIntExact(Zstd.compressBound(collected.remaining())));
    zstd.compress(compressed, collected);
    takeChunks();
  }

  private void compressPiece(ZstdCompressCtx zstd, EndDirective directive) {
    inPieces = true;
    collected.flip();
    makeRoom(CHUNK_BYTES);
    boolean done = false;
    while (!done) {
      boolean flushed = zstd.compressDirectByteBufferStream(compressed, collected, directive);
      done = directive == EndDirective.END ? flushed : !collected.hasRemaining();
      takeChunks();
    }
    collected.clear();
  }

  private void makeRoom(int bytes) {
    if (compressed.capacity() < bytes) {
      compressed = ByteBuffer.allocateDirect(Math.max(bytes, 2 * compressed.capacity()));
    }
    compressed.clear();
  }

  private void takeChunks() {
    compressed.flip();
    while (compressed.hasRemaining()) {
      byte[] chunk = new byte[Math.min(CHUNK_BYTES, compressed.remaining())];
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
      while (bytes.hasRemaining()) {
        collect(bytes);
      }
      return count;
    }

    private void collect(ByteBuffer bytes) {
      if (collected.remaining() < bytes.remaining() && collected.capacity() < collectBytesMax) {
        long wanted = Math.max(2L * collected.capacity(), collected.position() + bytes.remaining());
        collected.flip();
        collected =
            ByteBuffer.allocateDirect((int) Math.min(collectBytesMax, wanted)).put(collected);
      } else if (!collected.hasRemaining()) {
        compressPiece(zstd, EndDirective.CONTINUE);
      }
      int piece = Math.min(collected.remaining(), bytes.remaining());
      collected.put(bytes.slice(bytes.position(), piece));
      bytes.position(bytes.position() + piece);
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}
