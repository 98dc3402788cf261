package io.icewal.protocol;

import com.google.protobuf.CodedOutputStream;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.flight.impl.Flight.FlightData;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/// One message of a put stream on its way out: a schema with the descriptor, or a record batch.
///
/// Does not own the batch's buffers: they must stay until the message is answered or the call over.
public final class OutgoingFrame {
  private static final int ALIGNMENT = 8;
  private static final int COPY_BYTES = 64 << 10;

  /// gRPC counts a message in 31 bits; header, metadata and tags need little beside the body.
  private static final long BODY_BYTES_MAX = Integer.MAX_VALUE - (1L << 20);

  private final byte[] prefix;
  private final List<ArrowBuf> body;
  private final int bodyBytes;

  private OutgoingFrame(byte[] prefix, List<ArrowBuf> body, int bodyBytes) {
    this.prefix = prefix;
    this.body = body;
    this.bodyBytes = bodyBytes;
  }

  /// The first message of a stream.
  ///
  /// @param descriptor a `FlightDescriptor` in Protobuf
  public static OutgoingFrame schema(byte[] descriptor, Schema schema) {
    ByteBuffer header = MessageSerializer.serializeMetadata(schema, IpcOption.DEFAULT);
    return new OutgoingFrame(prefix(descriptor, header, new byte[0], -1), List.of(), 0);
  }

  /// A batch.
  ///
  /// @param metadata the batch's `app_metadata`, or empty
  /// @throws IcewalException INVALID if no message can be so large
  public static OutgoingFrame batch(ArrowRecordBatch batch, byte[] metadata) {
    ByteBuffer header = MessageSerializer.serializeMetadata(batch, IpcOption.DEFAULT);
    long bytes = 0;
    for (ArrowBuf buffer : batch.getBuffers()) {
      bytes += padded(buffer.readableBytes());
    }
    if (bytes > BODY_BYTES_MAX) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "batch has "
              + bytes
              + " bytes, and a message at most "
              + BODY_BYTES_MAX
              + "; send smaller batches");
    }
    int bodyBytes = (int) bytes;
    byte[] prefix = prefix(new byte[0], header, metadata, bodyBytes);
    return new OutgoingFrame(prefix, List.copyOf(batch.getBuffers()), bodyBytes);
  }

  /// Everything up to the body's bytes.
  ///
  /// @param bodyBytes length of the body, or -1 for none
  private static byte[] prefix(
      byte[] descriptor, ByteBuffer header, byte[] metadata, int bodyBytes) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      if (descriptor.length > 0) {
        out.writeByteArray(FlightData.FLIGHT_DESCRIPTOR_FIELD_NUMBER, descriptor);
      }
      out.writeByteBuffer(FlightData.DATA_HEADER_FIELD_NUMBER, header.slice());
      if (metadata.length > 0) {
        out.writeByteArray(FlightData.APP_METADATA_FIELD_NUMBER, metadata);
      }
      if (bodyBytes >= 0) {
        out.writeTag(FlightData.DATA_BODY_FIELD_NUMBER, 2);
        out.writeUInt32NoTag(bodyBytes);
      }
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Not from a stream in memory.
    }
    return bytes.toByteArray();
  }

  private static long padded(long bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /// The message's bytes.
  InputStream stream() {
    return new Stream();
  }

  /// gRPC drains messages into its own buffers; a plain reader gets a copy.
  private final class Stream extends InputStream implements Drainable, KnownLength {
    private @Nullable InputStream copy;

    @Override
    public int available() {
      return prefix.length + bodyBytes;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      target.write(prefix);
      byte[] chunk = new byte[Math.min(COPY_BYTES, Math.max(bodyBytes, 1))];
      for (ArrowBuf buffer : body) {
        long length = buffer.readableBytes();
        for (long at = 0; at < length; at += chunk.length) {
          int taken = (int) Math.min(chunk.length, length - at);
          buffer.getBytes(buffer.readerIndex() + at, chunk, 0, taken);
          target.write(chunk, 0, taken);
        }
        target.write(new byte[(int) (padded(length) - length)]);
      }
      return prefix.length + bodyBytes;
    }

    @Override
    public int read() throws IOException {
      return copy().read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return copy().read(bytes, offset, length);
    }

    private InputStream copy() throws IOException {
      if (copy == null) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(prefix.length + bodyBytes);
        drainTo(bytes);
        copy = new ByteArrayInputStream(bytes.toByteArray());
      }
      return copy;
    }
  }
}
