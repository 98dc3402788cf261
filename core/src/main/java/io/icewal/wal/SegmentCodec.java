package io.icewal.wal;

import com.google.protobuf.InvalidProtocolBufferException;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.storage.StoredBytes;
import io.icewal.wal.BlockLocation.Part;
import io.icewal.wal.BlockLocation.Place;
import io.icewal.wal.proto.WalProto;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.exceptions.ValidationException;
import org.jspecify.annotations.Nullable;

/// Segments as bytes, and back; `docs/format.md`, section 3. Pure.
///
/// Every check is made in pairs: what is refused here when it is read is checked by
/// [SegmentBuilder] before it is written.
public final class SegmentCodec {
  /// The most bytes that one part may have once decompressed.
  public static final int FRAME_RAW_BYTES_MAX = 1 << 30;

  private static final int HEADER_BYTES_MIN = 74;

  private SegmentCodec() {}

  /// A segment ready to be stored.
  ///
  /// @param bytes its bytes, one part after the other
  /// @param footer what a reader will find
  record Built(List<byte[]> bytes, SegmentFooter footer) {}

  // ---- to bytes

  static byte[] encodeHeader(
      UUID segmentId, UUID previousId, UUID writerId, long writerSequence, String flightAddress) {
    byte[] address = flightAddress.getBytes(StandardCharsets.UTF_8);
    int length = HEADER_BYTES_MIN + address.length;
    ByteBuffer out = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    out.put(Sealed.SEGMENT.getBytes(StandardCharsets.US_ASCII));
    out.putShort((short) LogRoot.FORMAT_VERSION).putShort((short) length);
    out.put(Ids.toBytes(segmentId)).put(Ids.toBytes(previousId)).put(Ids.toBytes(writerId));
    out.putLong(writerSequence).putShort((short) address.length).put(address);
    out.putInt(Sealed.crc(out.array(), 0, out.position()));
    return out.array();
  }

  static byte[] encodeFooter(WalProto.SegmentFooter footer) {
    return Sealed.seal(Sealed.SEGMENT, footer.toByteArray());
  }

  // ---- from bytes

  /// How many bytes at the end of a segment are its footer.
  ///
  /// @param tail the last bytes of the object
  /// @throws IcewalException CORRUPT
  static long footerBytes(StoredBytes tail) {
    return Sealed.TRAILER_BYTES
        + (long) Sealed.bodyLength(Sealed.SEGMENT, tail.bytes(), tail.meta().key());
  }

  /// The footer of a segment, checked; against the header too if the whole object is there.
  ///
  /// @param tail the last bytes of the object, at least [#footerBytes]
  /// @throws IcewalException CORRUPT
  static SegmentFooter decodeFooter(LogName log, long number, StoredBytes tail) {
    String what = tail.meta().key();
    ByteBuffer body = Sealed.open(Sealed.SEGMENT, tail.bytes(), what);
    SegmentFooter footer;
    try {
      footer = decode(log, number, WalProto.SegmentFooter.parseFrom(body), tail);
    } catch (InvalidProtocolBufferException | IllegalArgumentException | ValidationException e) {
      throw corrupt(what, "has a footer that cannot be understood: " + e.getMessage(), e);
    }
    checkLayout(footer, tail, body.limit() + Sealed.TRAILER_BYTES);
    if (tail.offset() == 0) {
      checkHeader(footer, tail.bytes(), what);
    }
    return footer;
  }

  private static SegmentFooter decode(
      LogName log, long number, WalProto.SegmentFooter footer, StoredBytes tail) {
    UUID id = Ids.fromProto(footer.getSegmentId());
    List<BlockRef> blocks = new ArrayList<>(footer.getBlocksCount());
    for (WalProto.Block block : footer.getBlocksList()) {
      blocks.add(
          FooterCodec.decode(log, number, blocks.size(), id, block, footer.getHeadersList()));
    }
    return new SegmentFooter(
        number,
        id,
        Ids.fromProto(footer.getPreviousId()),
        Ids.fromProto(footer.getWriterId()),
        footer.getWriterSequence(),
        footer.getFlightAddress().isEmpty() ? null : footer.getFlightAddress(),
        footer.getSegmentLength(),
        tail.meta().lastModified(),
        footer.getAcceptedLoss().isEmpty() ? null : footer.getAcceptedLoss(),
        blocks);
  }

  /// Header, parts one after the other, footer: nothing else, nothing twice.
  private static void checkLayout(SegmentFooter footer, StoredBytes tail, int footerBytes) {
    String what = tail.meta().key();
    if (footer.length() != tail.meta().size()) {
      throw Sealed.corrupt(
          what, "has " + tail.meta().size() + " bytes, its footer says " + footer.length());
    }
    long at = headerBytes(footer);
    for (BlockRef block : footer.blocks()) {
      if (block.location().place() == Place.SEGMENT) {
        at = after(after(at, block.location().keys(), what), block.location().rest(), what);
      }
    }
    if (at + footerBytes != footer.length()) {
      throw Sealed.corrupt(what, "has " + (footer.length() - footerBytes - at) + " bytes too many");
    }
  }

  private static long after(long at, @Nullable Part part, String what) {
    if (part == null) {
      return at;
    }
    if (part.offset() != at) {
      throw Sealed.corrupt(what, "has a part at " + part.offset() + ", expected at " + at);
    }
    return at + part.length();
  }

  private static int headerBytes(SegmentFooter footer) {
    String address = footer.flightAddress();
    return HEADER_BYTES_MIN
        + (address == null ? 0 : address.getBytes(StandardCharsets.UTF_8).length);
  }

  private static void checkHeader(SegmentFooter footer, byte[] whole, String what) {
    String address = footer.flightAddress();
    byte[] expected =
        encodeHeader(
            footer.id(),
            footer.previousId(),
            footer.writerId(),
            footer.writerSequence(),
            address == null ? "" : address);
    if (!Arrays.equals(expected, 0, expected.length, whole, 0, expected.length)) {
      throw Sealed.corrupt(what, "has a header that differs from its footer");
    }
  }

  /// Why the bytes at hand are not the part that a block says, or an empty string.
  ///
  /// @param bytes holds the part from `offset`
  static String whyNotPart(byte[] bytes, int offset, BlockLocation location, Part part) {
    if (offset < 0 || bytes.length - offset < part.length()) {
      return "has " + (bytes.length - offset) + " bytes, expected " + part.length();
    }
    UUID id = Ids.fromBytes(bytes, offset);
    if (!id.equals(location.id())) {
      return "begins with " + id + ", expected " + location.id();
    }
    int crc = Sealed.crc(bytes, offset, part.length());
    if (crc != part.crc32c()) {
      return String.format("has CRC32C %08x, expected %08x", crc, part.crc32c());
    }
    return "";
  }

  /// The rows of a part that [#whyNotPart] has found right.
  ///
  /// @throws IcewalException CORRUPT
  static FrameRows decodePart(
      byte[] bytes, int offset, BlockRef block, Part part, BufferAllocator allocator) {
    FrameRows rows;
    try {
      rows =
          FrameDecoder.decode(
              bytes, offset + Ids.BYTES, part.length() - Ids.BYTES, part.rawLength(), allocator);
    } catch (IOException e) {
      throw corrupt(block.describe(), "cannot be decoded: " + e.getMessage(), e);
    }
    if (rows.rowCount() != block.rows()) {
      long seen = rows.rowCount();
      rows.close();
      throw Sealed.corrupt(
          block.describe(), "has " + seen + " rows, its footer says " + block.rows());
    }
    return rows;
  }

  /// The CRC32C of a part: its UUID and its frame.
  static int partCrc(byte[] id, List<byte[]> chunks) {
    CRC32C crc = new CRC32C();
    crc.update(id);
    chunks.forEach(crc::update);
    return (int) crc.getValue();
  }

  private static IcewalException corrupt(String what, String why, Throwable cause) {
    return new IcewalException(ErrorKind.CORRUPT, what + " " + why, cause);
  }
}
