package io.icewal.wal;

import io.icewal.model.LogName;
import io.icewal.wal.BlockLocation.Part;
import io.icewal.wal.BlockLocation.Place;
import io.icewal.wal.FrameEncoder.Frame;
import io.icewal.wal.proto.WalProto;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Puts one segment together from encoded blocks: header, parts, footer.
final class SegmentBuilder {
  private static final int ADDRESS_BYTES_MAX = 1024;

  /// A block before it has a place.
  ///
  /// @param staged the location of a staged block, else null
  /// @param keys the key frame, or null
  /// @param rest the rest frame, or null
  record EncodedBlock(
      BlockHeader header,
      long rows,
      List<BatchEntry> batches,
      @Nullable BlockLocation staged,
      @Nullable Frame keys,
      @Nullable Frame rest) {}

  private final LogName log;
  private final long number;
  private final UUID id;
  private final UUID previousId;
  private final UUID writerId;
  private final long writerSequence;
  private final String flightAddress;
  private final Instant ingestTime;
  private final List<byte[]> bytes = new ArrayList<>();
  private final List<BlockRef> blocks = new ArrayList<>();
  private long length;

  /// @param previousId the UUID of segment `number - 1`, or all zero
  /// @param flightAddress at most 1 KiB of UTF-8; empty for none
  SegmentBuilder(
      LogName log,
      long number,
      UUID id,
      UUID previousId,
      UUID writerId,
      long writerSequence,
      String flightAddress,
      Instant ingestTime) {
    if (flightAddress.getBytes(StandardCharsets.UTF_8).length > ADDRESS_BYTES_MAX) {
      throw new IllegalArgumentException("Flight address is too long: " + flightAddress);
    }
    this.log = log;
    this.number = number;
    this.id = id;
    this.previousId = previousId;
    this.writerId = writerId;
    this.writerSequence = writerSequence;
    this.flightAddress = flightAddress;
    this.ingestTime = ingestTime;
    write(SegmentCodec.encodeHeader(id, previousId, writerId, writerSequence, flightAddress));
  }

  void add(EncodedBlock block) {
    BlockLocation location = block.staged();
    if (location == null) {
      Part keys = part(block.keys());
      Part rest = part(block.rest());
      location = new BlockLocation(Place.SEGMENT, Paths.segment(log, number), id, keys, rest);
    }
    blocks.add(
        new BlockRef(
            log,
            number,
            blocks.size(),
            id,
            block.header(),
            block.rows(),
            location.storedBytes(),
            ingestTime,
            block.batches(),
            location));
  }

  SegmentCodec.Built build() {
    return build("");
  }

  /// A segment that fills a hole.
  SegmentCodec.Built build(String acceptedLoss) {
    FooterCodec.Headers headers = new FooterCodec.Headers();
    WalProto.SegmentFooter.Builder footer =
        WalProto.SegmentFooter.newBuilder()
            .setSegmentId(Ids.toProto(id))
            .setPreviousId(Ids.toProto(previousId))
            .setWriterId(Ids.toProto(writerId))
            .setWriterSequence(writerSequence)
            .setFlightAddress(flightAddress)
            .setAcceptedLoss(acceptedLoss);
    for (BlockRef block : blocks) {
      footer.addBlocks(FooterCodec.encode(headers.indexOf(block.header()), block));
    }
    footer.addAllHeaders(headers.all());
    byte[] sealed = SegmentCodec.encodeFooter(withLength(footer));
    write(sealed);
    return new SegmentCodec.Built(bytes, footer(acceptedLoss));
  }

  /// The length is in the footer, and its own encoding takes more bytes the longer it is.
  private WalProto.SegmentFooter withLength(WalProto.SegmentFooter.Builder footer) {
    long before = 0;
    while (footer.getSegmentLength() == 0 || before != footer.getSegmentLength()) {
      before = footer.getSegmentLength();
      footer.setSegmentLength(length + footer.build().getSerializedSize() + Sealed.TRAILER_BYTES);
    }
    return footer.build();
  }

  private SegmentFooter footer(String acceptedLoss) {
    return new SegmentFooter(
        number,
        id,
        previousId,
        writerId,
        writerSequence,
        flightAddress.isEmpty() ? null : flightAddress,
        length,
        ingestTime,
        acceptedLoss.isEmpty() ? null : acceptedLoss,
        blocks);
  }

  private @Nullable Part part(@Nullable Frame frame) {
    if (frame == null) {
      return null;
    }
    byte[] uuid = Ids.toBytes(id);
    Part part =
        new Part(
            length,
            Ids.BYTES + frame.length(),
            frame.rawLength(),
            SegmentCodec.partCrc(uuid, frame.chunks()));
    write(uuid);
    frame.chunks().forEach(this::write);
    return part;
  }

  private void write(byte[] piece) {
    bytes.add(piece);
    length += piece.length;
  }
}
