package io.icewal.wal;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.google.protobuf.InvalidProtocolBufferException;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.storage.StoredBytes;
import io.icewal.wal.Summary.ProducerKey;
import io.icewal.wal.Summary.SeenSequences;
import io.icewal.wal.Summary.SeenTable;
import io.icewal.wal.Summary.SeenWriter;
import io.icewal.wal.proto.WalProto;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Summaries as bytes, and back. Pure.
final class SummaryCodec {
  private static final int LEVEL = 3;
  private static final int RAW_BYTES_MAX = 1 << 30;

  private SummaryCodec() {}

  /// @throws IcewalException INTERNAL if it is larger than a reader would take
  static byte[] encode(Summary summary) {
    WalProto.Summary.Builder out =
        WalProto.Summary.newBuilder()
            .setRound(summary.k())
            .setNumber(summary.number())
            .setLastSegmentId(Ids.toProto(summary.lastSegmentId()))
            .setNowMillis(summary.now().toEpochMilli());
    summary.producers().forEach((key, seen) -> out.addProducers(encode(key, seen)));
    summary
        .writers()
        .forEach(
            (id, seen) ->
                out.addWriters(
                    WalProto.Writer.newBuilder()
                        .setWriterId(Ids.toProto(id))
                        .setSequence(seen.sequence())
                        .setSeenMillis(seen.seen().toEpochMilli())));
    summary
        .tablePositions()
        .forEach(
            (id, seen) ->
                out.addPositions(
                    WalProto.TablePosition.newBuilder()
                        .setTableId(Ids.toProto(id))
                        .setNumber(seen.number())
                        .setSeenMillis(seen.seen().toEpochMilli())));
    FooterCodec.Headers headers = new FooterCodec.Headers();
    for (BlockRef block : summary.parked()) {
      out.addParked(
          WalProto.ParkedBlock.newBuilder()
              .setNumber(block.number())
              .setIndex(block.index())
              .setSegmentId(Ids.toProto(block.segmentId()))
              .setBlock(FooterCodec.encode(headers.indexOf(block.header()), block)));
    }
    WalProto.Summary built = out.addAllHeaders(headers.all()).build();
    if (built.getSerializedSize() > RAW_BYTES_MAX) {
      // Once a boundary names it, nobody could read the log any more.
      throw new IcewalException(
          ErrorKind.INTERNAL,
          "a summary of "
              + built.getSerializedSize()
              + " bytes, at most "
              + RAW_BYTES_MAX
              + ": too many producers or parked blocks");
    }
    byte[] raw = built.toByteArray();
    return Sealed.seal(Sealed.SUMMARY, Zstd.compress(raw, LEVEL));
  }

  private static WalProto.Producer encode(ProducerKey key, SeenSequences seen) {
    return WalProto.Producer.newBuilder()
        .setTableId(Ids.toProto(key.tableId()))
        .setProducer(key.producer())
        .setHighest(seen.sequences().highest())
        .setKnownFrom(seen.sequences().knownFrom())
        .addAllUnseen(seen.sequences().unseen())
        .setSeenMillis(seen.seen().toEpochMilli())
        .build();
  }

  static Summary decode(LogName log, Boundary boundary, StoredBytes stored) {
    String what = stored.meta().key();
    try {
      ByteBuffer body = Sealed.openWhole(Sealed.SUMMARY, stored.bytes(), what);
      Summary summary = decode(log, WalProto.Summary.parseFrom(decompress(body)));
      if (summary.k() != boundary.k() || summary.number() != boundary.number()) {
        throw Sealed.corrupt(
            what,
            "is of round " + summary.k() + " up to " + summary.number() + ", expected " + boundary);
      }
      return summary;
    } catch (InvalidProtocolBufferException | IllegalArgumentException | ZstdException e) {
      throw new IcewalException(ErrorKind.CORRUPT, what + " cannot be understood", e);
    }
  }

  private static byte[] decompress(ByteBuffer body) {
    byte[] compressed = new byte[body.remaining()];
    body.get(compressed);
    long raw = Zstd.getFrameContentSize(compressed);
    if (raw < 0 || raw > RAW_BYTES_MAX) {
      throw new IllegalArgumentException("a summary of " + raw + " bytes");
    }
    return Zstd.decompress(compressed, (int) raw);
  }

  private static Summary decode(LogName log, WalProto.Summary in) {
    Map<ProducerKey, SeenSequences> producers = new HashMap<>();
    for (WalProto.Producer producer : in.getProducersList()) {
      producers.put(
          new ProducerKey(Ids.fromProto(producer.getTableId()), producer.getProducer()),
          new SeenSequences(
              Sequences.of(
                  producer.getHighest(), producer.getKnownFrom(), producer.getUnseenList()),
              Instant.ofEpochMilli(producer.getSeenMillis())));
    }
    Map<UUID, SeenWriter> writers = new HashMap<>();
    for (WalProto.Writer writer : in.getWritersList()) {
      writers.put(
          Ids.fromProto(writer.getWriterId()),
          new SeenWriter(writer.getSequence(), Instant.ofEpochMilli(writer.getSeenMillis())));
    }
    Map<UUID, SeenTable> positions = new HashMap<>();
    for (WalProto.TablePosition position : in.getPositionsList()) {
      positions.put(
          Ids.fromProto(position.getTableId()),
          new SeenTable(position.getNumber(), Instant.ofEpochMilli(position.getSeenMillis())));
    }
    return new Summary(
        in.getRound(),
        in.getNumber(),
        Ids.fromProto(in.getLastSegmentId()),
        Instant.ofEpochMilli(in.getNowMillis()),
        producers,
        writers,
        positions,
        parked(log, in));
  }

  private static List<BlockRef> parked(LogName log, WalProto.Summary in) {
    List<BlockRef> parked = new ArrayList<>(in.getParkedCount());
    for (WalProto.ParkedBlock block : in.getParkedList()) {
      parked.add(
          FooterCodec.decode(
              log,
              block.getNumber(),
              block.getIndex(),
              Ids.fromProto(block.getSegmentId()),
              block.getBlock(),
              in.getHeadersList()));
    }
    return parked;
  }
}
