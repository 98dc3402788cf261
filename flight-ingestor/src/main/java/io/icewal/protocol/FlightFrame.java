package io.icewal.protocol;

import io.icewal.model.IcewalException;
import org.apache.arrow.memory.ArrowBuf;
import org.jspecify.annotations.Nullable;

/// One message of a put stream as it came in: the parts of Flight's `FlightData`.
///
/// Owns its body. Whoever receives a frame closes it, or takes the body out of it first.
public final class FlightFrame implements AutoCloseable {
  private static final byte[] NONE = new byte[0];

  private final byte[] descriptor;
  private final byte[] header;
  private final byte[] metadata;
  private @Nullable ArrowBuf body;
  private final @Nullable IcewalException fault;

  FlightFrame(byte[] descriptor, byte[] header, byte[] metadata, @Nullable ArrowBuf body) {
    this.descriptor = descriptor;
    this.header = header;
    this.metadata = metadata;
    this.body = body;
    this.fault = null;
  }

  /// A message that could not be taken in. gRPC answers an exception of a marshaller with a bare
  /// UNKNOWN; a frame lets the call answer properly.
  FlightFrame(IcewalException fault) {
    this.descriptor = NONE;
    this.header = NONE;
    this.metadata = NONE;
    this.fault = fault;
  }

  /// Why the message could not be taken in, or null.
  public @Nullable IcewalException fault() {
    return fault;
  }

  /// A `FlightDescriptor` in Protobuf, or empty.
  public byte[] descriptor() {
    return descriptor;
  }

  /// An Arrow IPC `Message` without its body, or empty.
  public byte[] header() {
    return header;
  }

  /// The sender's `app_metadata`, or empty.
  public byte[] metadata() {
    return metadata;
  }

  /// Bytes of the body; 0 if there is none, or it was taken.
  public long bodyBytes() {
    return body == null ? 0 : body.capacity();
  }

  /// Hands over the body: the caller closes it from now on.
  public @Nullable ArrowBuf takeBody() {
    ArrowBuf taken = body;
    body = null;
    return taken;
  }

  @Override
  public void close() {
    if (body != null) {
      body.close();
      body = null;
    }
  }
}
