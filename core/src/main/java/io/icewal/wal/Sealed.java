package io.icewal.wal;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/// The one way in which structured bytes end: the body, then a trailer of 20 bytes (little-endian):
///
/// ```
/// u16 format version, u16 zero, u32 body length, u32 CRC32C of all before, 8 bytes magic
/// ```
final class Sealed {
  static final int TRAILER_BYTES = 20;

  /// Ends a segment.
  static final String SEGMENT = "ICEWALSG";

  /// Ends a boundary.
  static final String BOUNDARY = "ICEWALBD";

  /// Ends a summary.
  static final String SUMMARY = "ICEWALSM";

  private Sealed() {}

  /// The body with its trailer.
  static byte[] seal(String magic, byte[] body) {
    ByteBuffer out =
        ByteBuffer.allocate(body.length + TRAILER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.put(body).putShort((short) LogRoot.FORMAT_VERSION).putShort((short) 0).putInt(body.length);
    out.putInt(crc(out.array(), 0, out.position()));
    out.put(magic.getBytes(StandardCharsets.US_ASCII));
    return out.array();
  }

  /// How long the body before a trailer is, which may be more than the bytes at hand.
  ///
  /// @param tail bytes that end where the object ends
  /// @param what the object, for messages
  /// @throws IcewalException CORRUPT if there is no valid trailer or an unknown version
  static int bodyLength(String magic, byte[] tail, String what) {
    if (tail.length < TRAILER_BYTES) {
      throw corrupt(what, "has " + tail.length + " bytes, too few for a trailer");
    }
    ByteBuffer in = trailer(tail);
    byte[] end = new byte[8];
    in.get(in.position() + 12, end);
    if (!magic.equals(new String(end, StandardCharsets.ISO_8859_1))) {
      throw corrupt(what, "does not end in " + magic);
    }
    int version = Short.toUnsignedInt(in.getShort(in.position()));
    if (version != LogRoot.FORMAT_VERSION) {
      throw corrupt(what, "has format version " + version + ", known is " + LogRoot.FORMAT_VERSION);
    }
    int length = in.getInt(in.position() + 4);
    if (length < 0) {
      throw corrupt(what, "has a body of " + Integer.toUnsignedString(length) + " bytes");
    }
    return length;
  }

  /// The body before the trailer, checked.
  ///
  /// @param tail at least the body and the trailer
  static ByteBuffer open(String magic, byte[] tail, String what) {
    int length = bodyLength(magic, tail, what);
    int from = tail.length - TRAILER_BYTES - length;
    if (from < 0) {
      throw corrupt(what, "has " + tail.length + " bytes but a body of " + length);
    }
    int expected = trailer(tail).getInt(tail.length - 12);
    int seen = crc(tail, from, length + 8);
    if (seen != expected) {
      throw corrupt(what, String.format("has CRC32C %08x, its trailer says %08x", seen, expected));
    }
    return ByteBuffer.wrap(tail, from, length).slice();
  }

  /// The body of a whole object.
  static ByteBuffer openWhole(String magic, byte[] object, String what) {
    ByteBuffer body = open(magic, object, what);
    if (body.remaining() != object.length - TRAILER_BYTES) {
      throw corrupt(what, "has bytes before its body");
    }
    return body;
  }

  static int crc(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }

  static IcewalException corrupt(String what, String why) {
    return new IcewalException(ErrorKind.CORRUPT, what + " " + why);
  }

  private static ByteBuffer trailer(byte[] tail) {
    return ByteBuffer.wrap(tail)
        .order(ByteOrder.LITTLE_ENDIAN)
        .position(tail.length - TRAILER_BYTES);
  }
}
