package io.icewal.wal;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.util.AutoCloseables;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/// Frames as rows: decompressed once, into one buffer that the vectors then share without copies.
///
/// The caller has checked the part's CRC32C, so what is found here to be malformed was written so.
final class FrameDecoder {
  private final ArrowBuf raw;
  private final int length;
  private final BufferAllocator allocator;
  private final List<VectorSchemaRoot> roots = new ArrayList<>();
  private int at;

  private FrameDecoder(ArrowBuf raw, int length, BufferAllocator allocator) {
    this.raw = raw;
    this.length = length;
    this.allocator = allocator;
  }

  /// @param bytes holds the frame at `offset` with `frameLength` bytes
  /// @throws IOException if this is not a frame of one Arrow stream of `rawLength` bytes
  static FrameRows decode(
      byte[] bytes, int offset, int frameLength, int rawLength, BufferAllocator allocator)
      throws IOException {
    try (ArrowBuf raw = allocator.buffer(rawLength)) {
      decompress(bytes, offset, frameLength, raw, rawLength);
      FrameDecoder decoder = new FrameDecoder(raw, rawLength, allocator);
      try {
        decoder.read();
      } catch (IOException | RuntimeException e) {
        AutoCloseables.close(e, decoder.roots);
        throw e;
      }
      return new FrameRows(decoder.roots);
    }
  }

  private static void decompress(
      byte[] bytes, int offset, int frameLength, ArrowBuf raw, int rawLength) throws IOException {
    try (ZstdDecompressCtx zstd = new ZstdDecompressCtx()) {
      int count =
          zstd.decompressByteArrayToDirectByteBuffer(
              raw.nioBuffer(0, rawLength), 0, rawLength, bytes, offset, frameLength);
      if (count != rawLength) {
        throw new IOException("frame has " + count + " bytes, expected " + rawLength);
      }
    } catch (ZstdException e) {
      throw new IOException("not a zstd frame of " + rawLength + " bytes", e);
    }
  }

  private void read() throws IOException {
    Message first = nextMessage();
    if (first == null || first.headerType() != MessageHeader.Schema) {
      throw new IOException("an Arrow stream begins with a schema");
    }
    Schema schema = MessageSerializer.deserializeSchema(first);
    Message message = nextMessage();
    while (message != null) {
      readBatch(schema, message);
      message = nextMessage();
    }
    if (at != length) {
      throw new IOException((length - at) + " bytes after the end of the Arrow stream");
    }
  }

  private void readBatch(Schema schema, Message message) throws IOException {
    long bodyLength = message.bodyLength();
    if (message.headerType() != MessageHeader.RecordBatch || bodyLength > length - at) {
      throw new IOException(
          "Arrow message of type " + message.headerType() + " with " + bodyLength + " bytes");
    }
    RecordBatch header = (RecordBatch) message.header(new RecordBatch());
    ArrowBuf body = raw.slice(at, bodyLength);
    // The deserializer gives one reference back.
    body.getReferenceManager().retain();
    at += (int) bodyLength;
    VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
    roots.add(root);
    try (ArrowRecordBatch batch = MessageSerializer.deserializeRecordBatch(header, body)) {
      new VectorLoader(root).load(batch);
    }
  }

  private @Nullable Message nextMessage() throws IOException {
    if (length - at < 8 || raw.getInt(at) != MessageSerializer.IPC_CONTINUATION_TOKEN) {
      throw new IOException("Arrow stream is cut or not one, at byte " + at);
    }
    int metadata = raw.getInt(at + 4L);
    at += 8;
    if (metadata == 0) {
      return null;
    }
    if (metadata < 0 || metadata > length - at) {
      throw new IOException("Arrow message of " + metadata + " bytes, at byte " + at);
    }
    ByteBuffer bytes = raw.nioBuffer(at, metadata).order(ByteOrder.LITTLE_ENDIAN);
    at += metadata;
    return Message.getRootAsMessage(bytes);
  }
}
