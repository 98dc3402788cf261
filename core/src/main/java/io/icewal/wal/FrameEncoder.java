package io.icewal.wal;

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
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import org.apache.arrow.memory.ArrowBuf;
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

/// Rows as a part's bytes: Arrow vectors to an IPC stream to zstd frames.
///
/// 1. Arrow's serializer writes message by message, buffer by buffer.
/// 2. A large buffer is compressed where it lies, as a frame of its own: one column's values have
///    more in common than those of several, and nothing is copied.
/// 3. Of numbers a sample is compressed first. Where it shrinks little they are stored as they are:
///    random numbers cost more time a byte saved than anything else.
/// 4. Small buffers and headers are collected, and compressed together.
/// 5. What zstd has written is copied out in chunks: small arrays come from memory that the
///    collector has at hand.
///
/// Not thread-safe. The buffers grow with what is encoded, up to a bound, and live as long as the
/// encoder; what zstd needs is taken and given back with each use.
final class FrameEncoder {
  static final Field OP_FIELD =
      new Field(RowOp.COLUMN, new FieldType(false, new ArrowType.Int(8, true), null), null);

  private static final int LEVEL = 1;

  /// Level 1 looks for shorter matches in short input. In numbers those are accidents, and cost
  /// more than they save.
  private static final int MATCH_BYTES_MIN = 7;

  /// Headers and tables of a frame are less than a hundredth of a buffer of this size.
  private static final int ALONE_BYTES_MIN = 16 << 10;

  /// What one call compresses at most, so that its output needs no more.
  private static final int PIECE_BYTES_MAX = 1 << 20;

  private static final int SAMPLE_BYTES = 4 << 10;

  /// A sample that does not become shorter than this says that its buffer is not worth the time.
  private static final int SAMPLE_COMPRESSED_MIN = SAMPLE_BYTES / 8 * 5;

  /// As long as one of zstd's blocks: it looks for matches nowhere, and stores what it gets.
  private static final int STEP_OVER_ALL = 128 << 10;

  private static final int COLLECT_BYTES_MIN = 16 << 10;
  private static final int CHUNK_BYTES = 256 << 10;

  /// Frames of zstd, without the UUID that a part has in front.
  record Frame(List<byte[]> chunks, int length, int rawLength) {}

  private ByteBuffer collected = ByteBuffer.allocateDirect(COLLECT_BYTES_MIN);
  private ByteBuffer compressed = ByteBuffer.allocateDirect(COLLECT_BYTES_MIN);
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
        ZstdCompressCtx plain = new ZstdCompressCtx();
        Buffers out = new Buffers(new Compressor(zstd, plain), NumberBuffers.of(fields))) {
      begin(zstd, plain);
      MessageSerializer.serialize(out, new Schema(fields));
      for (RowBatch batch : batches) {
        out.beginBatch();
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

  private void begin(ZstdCompressCtx zstd, ZstdCompressCtx plain) {
    zstd.setLevel(LEVEL).setMinMatch(MATCH_BYTES_MIN);
    plain.setLevel(LEVEL).setTargetLength(STEP_OVER_ALL);
    collected.clear();
    chunks = new ArrayList<>();
    length = 0;
    rawLength = 0;
  }

  private Frame end(ZstdCompressCtx zstd) {
    compressCollected(zstd);
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

  private void compressCollected(ZstdCompressCtx zstd) {
    if (collected.position() > 0) {
      compress(zstd, collected.flip());
      collected.clear();
    }
  }

  /// Takes all of a direct buffer that is no longer than a piece.
  private void compress(ZstdCompressCtx zstd, ByteBuffer piece) {
    makeRoom(Math.toIntExact(Zstd.compressBound(piece.remaining())));
    zstd.compress(compressed, piece);
    takeChunks();
  }

  /// Judged by the middle: the first values may be unlike the others.
  private boolean isDense(ZstdCompressCtx zstd, ByteBuffer numbers) {
    int from = numbers.position() + (numbers.remaining() - SAMPLE_BYTES) / 2;
    makeRoom(Math.toIntExact(Zstd.compressBound(SAMPLE_BYTES)));
    zstd.compress(compressed, numbers.slice(from, SAMPLE_BYTES));
    return compressed.position() >= SAMPLE_COMPRESSED_MIN;
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

  /// What Arrow's serializer writes to, buffer by buffer in the order of the fields.
  private static final class Buffers extends WriteChannel {
    private final Compressor out;
    private final BitSet numbers;
    private int next;

    Buffers(Compressor out, BitSet numbers) {
      super(out);
      this.out = out;
      this.numbers = numbers;
    }

    void beginBatch() {
      next = 0;
    }

    @Override
    public void write(ArrowBuf buffer) throws IOException {
      out.numbers = numbers.get(next++);
      super.write(buffer);
      out.numbers = false;
    }
  }

  /// Where its bytes go.
  private final class Compressor implements WritableByteChannel {
    private final ZstdCompressCtx zstd;
    private final ZstdCompressCtx plain;

    /// Whether what is being written are numbers.
    private boolean numbers;

    Compressor(ZstdCompressCtx zstd, ZstdCompressCtx plain) {
      this.zstd = zstd;
      this.plain = plain;
    }

    @Override
    public int write(ByteBuffer bytes) {
      int count = bytes.remaining();
      rawLength += count;
      if (count >= ALONE_BYTES_MIN && bytes.isDirect()) {
        compressCollected(zstd);
        ZstdCompressCtx fitting = numbers && isDense(zstd, bytes) ? plain : zstd;
        inPieces(bytes, piece -> compress(fitting, piece));
      } else {
        inPieces(bytes, this::collect);
      }
      return count;
    }

    private static void inPieces(ByteBuffer bytes, Consumer<ByteBuffer> taker) {
      while (bytes.hasRemaining()) {
        int piece = Math.min(bytes.remaining(), PIECE_BYTES_MAX);
        taker.accept(bytes.slice(bytes.position(), piece));
        bytes.position(bytes.position() + piece);
      }
    }

    private void collect(ByteBuffer piece) {
      if (collected.position() + piece.remaining() > PIECE_BYTES_MAX) {
        compressCollected(zstd);
      }
      if (collected.remaining() < piece.remaining()) {
        int wanted = Math.max(2 * collected.capacity(), collected.position() + piece.remaining());
        ByteBuffer larger = ByteBuffer.allocateDirect(Math.min(PIECE_BYTES_MAX, wanted));
        collected = larger.put(collected.flip());
      }
      collected.put(piece);
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}
