package io.icewal.wal;

import com.google.protobuf.InvalidProtocolBufferException;
import io.icewal.model.BlockKind;
import io.icewal.model.LogName;
import io.icewal.model.ProducerSequence;
import io.icewal.wal.BlockLocation.Part;
import io.icewal.wal.BlockLocation.Place;
import io.icewal.wal.proto.WalProto;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Blocks and their headers as protobuf messages, and back. Pure.
///
/// A reader refuses what it does not know: a kind, a place, a type. It is a
/// [IllegalArgumentException] here; the callers, who know the object, make CORRUPT of it.
final class FooterCodec {

  /// The headers of some blocks, each written once.
  static final class Headers {
    private final Map<WalProto.TableHeader, Integer> indexes = new LinkedHashMap<>();

    int indexOf(BlockHeader header) {
      return indexes.computeIfAbsent(encode(header), added -> indexes.size());
    }

    Iterable<WalProto.TableHeader> all() {
      return indexes.keySet();
    }
  }

  private FooterCodec() {}

  // ---- headers

  static WalProto.TableHeader encode(BlockHeader header) {
    return WalProto.TableHeader.newBuilder()
        .setTableId(Ids.toProto(header.tableId()))
        .setTableName(header.tableName())
        .setSchemaId(header.schemaId())
        .setLastColumnId(header.lastColumnId())
        .addAllColumns(ColumnCodec.encode(header.columns().columns()))
        .addAllKeyFieldIds(header.columns().identifierFieldIds().stream().sorted().toList())
        .build();
  }

  static BlockHeader decode(WalProto.TableHeader header, BlockKind kind) {
    return new BlockHeader(
        Ids.fromProto(header.getTableId()),
        header.getTableName(),
        header.getSchemaId(),
        header.getLastColumnId(),
        ColumnCodec.decode(
            header.getSchemaId(), header.getColumnsList(), header.getKeyFieldIdsList()),
        kind);
  }

  // ---- blocks

  static WalProto.Block encode(
      int headerIndex,
      BlockKind kind,
      long rows,
      Instant ingestTime,
      List<BatchEntry> batches,
      BlockLocation location) {
    WalProto.Block.Builder block =
        WalProto.Block.newBuilder()
            .setHeader(headerIndex)
            .setKind(encode(kind))
            .setRows(rows)
            .setIngestTimeMicros(ChronoUnit.MICROS.between(Instant.EPOCH, ingestTime))
            .setLocation(encode(location));
    for (BatchEntry batch : batches) {
      WalProto.Batch.Builder entry = WalProto.Batch.newBuilder().setRows(batch.rows());
      ProducerSequence producer = batch.producer();
      if (producer != null) {
        entry.setProducer(producer.producer()).setSequence(producer.sequence());
      }
      block.addBatches(entry);
    }
    return block.build();
  }

  static WalProto.Block encode(int headerIndex, BlockRef block) {
    return encode(
        headerIndex,
        block.header().kind(),
        block.rows(),
        block.ingestTime(),
        block.batches(),
        block.location());
  }

  static BlockRef decode(
      LogName log,
      long number,
      int index,
      UUID segmentId,
      WalProto.Block block,
      List<WalProto.TableHeader> headers) {
    if (block.getHeader() >= headers.size() || block.getHeader() < 0) {
      throw new IllegalArgumentException("header " + block.getHeader() + " of " + headers.size());
    }
    BlockHeader header = decode(headers.get(block.getHeader()), decode(block.getKind()));
    BlockLocation location =
        decode(block.getLocation(), () -> Paths.segment(log, number), segmentId);
    List<BatchEntry> batches = new ArrayList<>();
    for (WalProto.Batch batch : block.getBatchesList()) {
      batches.add(new BatchEntry(producer(batch), batch.getRows()));
    }
    return new BlockRef(
        log,
        number,
        index,
        segmentId,
        header,
        block.getRows(),
        location.storedBytes(),
        Instant.EPOCH.plus(block.getIngestTimeMicros(), ChronoUnit.MICROS),
        batches,
        location);
  }

  private static @Nullable ProducerSequence producer(WalProto.Batch batch) {
    return batch.getProducer().isEmpty()
        ? null
        : new ProducerSequence(batch.getProducer(), batch.getSequence());
  }

  // ---- places

  private static WalProto.Location encode(BlockLocation location) {
    WalProto.Location.Builder out =
        WalProto.Location.newBuilder().setPlace(encode(location.place()));
    if (location.place() != Place.SEGMENT) {
      out.setObject(location.object()).setId(Ids.toProto(location.id()));
    }
    if (location.keys() != null) {
      out.setKeys(encode(location.keys()));
    }
    if (location.rest() != null) {
      out.setRest(encode(location.rest()));
    }
    return out.build();
  }

  private static BlockLocation decode(
      WalProto.Location location, Supplier<String> segmentKey, UUID segmentId) {
    Place place = decode(location.getPlace());
    boolean inline = place == Place.SEGMENT;
    return new BlockLocation(
        place,
        inline ? segmentKey.get() : location.getObject(),
        inline ? segmentId : Ids.fromProto(location.getId()),
        location.hasKeys() ? decode(location.getKeys()) : null,
        location.hasRest() ? decode(location.getRest()) : null);
  }

  private static WalProto.Part encode(Part part) {
    return WalProto.Part.newBuilder()
        .setOffset(part.offset())
        .setLength(part.length())
        .setRawLength(part.rawLength())
        .setCrc32C(part.crc32c())
        .build();
  }

  private static Part decode(WalProto.Part part) {
    if (part.getOffset() < 0
        || part.getLength() < Ids.BYTES
        || part.getRawLength() < 0
        || part.getRawLength() > SegmentCodec.FRAME_RAW_BYTES_MAX) {
      throw new IllegalArgumentException("bad part: " + part);
    }
    return new Part(part.getOffset(), part.getLength(), part.getRawLength(), part.getCrc32C());
  }

  // ---- closed choices

  private static WalProto.Kind encode(BlockKind kind) {
    return switch (kind) {
      case UPSERT -> WalProto.Kind.KIND_UPSERT;
      case DELETE -> WalProto.Kind.KIND_DELETE;
      case MIXED -> WalProto.Kind.KIND_MIXED;
      case TRUNCATE -> WalProto.Kind.KIND_TRUNCATE;
      case FLUSH -> WalProto.Kind.KIND_FLUSH;
    };
  }

  private static BlockKind decode(WalProto.Kind kind) {
    return switch (kind) {
      case KIND_UPSERT -> BlockKind.UPSERT;
      case KIND_DELETE -> BlockKind.DELETE;
      case KIND_MIXED -> BlockKind.MIXED;
      case KIND_TRUNCATE -> BlockKind.TRUNCATE;
      case KIND_FLUSH -> BlockKind.FLUSH;
      default -> throw new IllegalArgumentException("unknown block kind " + kind);
    };
  }

  private static WalProto.Place encode(Place place) {
    return switch (place) {
      case SEGMENT -> WalProto.Place.PLACE_SEGMENT;
      case PARKED -> WalProto.Place.PLACE_PARKED;
      case STAGED -> WalProto.Place.PLACE_STAGED;
    };
  }

  private static Place decode(WalProto.Place place) {
    return switch (place) {
      case PLACE_SEGMENT -> Place.SEGMENT;
      case PLACE_PARKED -> Place.PARKED;
      case PLACE_STAGED -> Place.STAGED;
      default -> throw new IllegalArgumentException("unknown place " + place);
    };
  }

  // ---- staged blocks in transit

  static byte[] encodeStaged(StagedBlock staged) {
    return WalProto.Staged.newBuilder()
        .setHeader(encode(staged.header()))
        .setBlock(
            encode(
                0,
                staged.header().kind(),
                staged.rows(),
                staged.stagedAt(),
                List.of(),
                staged.location()))
        .setStagedMillis(staged.stagedAt().toEpochMilli())
        .build()
        .toByteArray();
  }

  static StagedBlock decodeStaged(byte[] bytes) {
    try {
      WalProto.Staged staged = WalProto.Staged.parseFrom(bytes);
      WalProto.Block block = staged.getBlock();
      return new StagedBlock(
          decode(staged.getHeader(), decode(block.getKind())),
          block.getRows(),
          decode(block.getLocation(), () -> "", SegmentFooter.NONE),
          Instant.ofEpochMilli(staged.getStagedMillis()));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("not a staged block", e);
    }
  }
}
