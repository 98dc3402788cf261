package io.icewal.protocol;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.grpc.HasByteBuffer;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.arrow.flight.impl.Flight.FlightData;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.OutOfMemoryException;
import org.jspecify.annotations.Nullable;

/// Takes one `FlightData` message apart. The body, nearly all of the message, is copied once, from
/// the network's buffers into one Arrow buffer.
///
/// Arrow's own server code does the same, but a malformed message leaks its buffers there, and an
/// allocator that is full ends the call without a reason.
final class FrameReader {
  /// Bytes of an Arrow message without its body: enough for 100,000 columns.
  private static final int HEADER_BYTES_MAX = 16 << 20;

  /// Bytes of a descriptor, and of a batch's metadata.
  private static final int TEXT_BYTES_MAX = 1 << 20;

  private final BodyBuffers buffers;
  private final InputStream in;
  private byte[] descriptor = new byte[0];
  private byte[] header = new byte[0];
  private byte[] metadata = new byte[0];
  private @Nullable ArrowBuf body;

  private FrameReader(BodyBuffers buffers, InputStream in) {
    this.buffers = buffers;
    this.in = in;
  }

  static FlightFrame read(BodyBuffers buffers, InputStream in) {
    FrameReader reader = new FrameReader(buffers, in);
    IcewalException fault;
    try {
      reader.readFields();
      return new FlightFrame(reader.descriptor, reader.header, reader.metadata, reader.body);
    } catch (OutOfMemoryException e) {
      fault = new IcewalException(ErrorKind.UNAVAILABLE, "no memory for this batch now", e);
    } catch (IOException e) {
      fault =
          new IcewalException(
              ErrorKind.INVALID, "message is not a FlightData message: " + e.getMessage(), e);
    }
    if (reader.body != null) {
      reader.body.close();
    }
    return new FlightFrame(fault);
  }

  private void readFields() throws IOException {
    for (int first = in.read(); first >= 0; first = in.read()) {
      int tag = CodedInputStream.readRawVarint32(first, in);
      boolean bytes = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
      switch (bytes ? WireFormat.getTagFieldNumber(tag) : 0) {
        case FlightData.FLIGHT_DESCRIPTOR_FIELD_NUMBER -> descriptor = readBytes(TEXT_BYTES_MAX);
        case FlightData.DATA_HEADER_FIELD_NUMBER -> header = readBytes(HEADER_BYTES_MAX);
        case FlightData.APP_METADATA_FIELD_NUMBER -> metadata = readBytes(TEXT_BYTES_MAX);
        case FlightData.DATA_BODY_FIELD_NUMBER -> readBody();
        default -> skip(WireFormat.getTagWireType(tag));
      }
    }
  }

  private int readLength() throws IOException {
    int length = CodedInputStream.readRawVarint32(in.read(), in);
    if (length < 0 || length > in.available()) {
      throw new EOFException("field of " + length + " bytes, message has " + in.available());
    }
    return length;
  }

  private byte[] readBytes(int lengthMax) throws IOException {
    int length = readLength();
    if (length > lengthMax) {
      throw new IOException("field of " + length + " bytes, at most " + lengthMax + " are taken");
    }
    return in.readNBytes(length);
  }

  private void readBody() throws IOException {
    int length = readLength();
    if (body != null) {
      throw new IOException("message with two bodies");
    }
    ArrowBuf target = buffers.allocate(length);
    body = target;
    if (in instanceof HasByteBuffer direct && direct.byteBufferSupported()) {
      copyDirectly(direct, target, length);
    } else {
      target.setBytes(0, in.readNBytes(length));
    }
    target.writerIndex(length);
  }

  private void copyDirectly(HasByteBuffer direct, ArrowBuf target, int length) throws IOException {
    int done = 0;
    while (done < length) {
      ByteBuffer chunk = direct.getByteBuffer();
      if (chunk == null || !chunk.hasRemaining()) {
        throw new EOFException("body of " + length + " bytes ends after " + done);
      }
      int taken = Math.min(chunk.remaining(), length - done);
      chunk.limit(chunk.position() + taken);
      target.setBytes(done, chunk);
      in.skipNBytes(taken);
      done += taken;
    }
  }

  private void skip(int wireType) throws IOException {
    switch (wireType) {
      case WireFormat.WIRETYPE_VARINT -> CodedInputStream.readRawVarint32(in.read(), in);
      case WireFormat.WIRETYPE_FIXED64 -> in.skipNBytes(Long.BYTES);
      case WireFormat.WIRETYPE_FIXED32 -> in.skipNBytes(Integer.BYTES);
      case WireFormat.WIRETYPE_LENGTH_DELIMITED -> in.skipNBytes(readLength());
      default -> throw new IOException("field of unknown wire type " + wireType);
    }
  }
}
