package io.icewal.wal;

import com.google.protobuf.InvalidProtocolBufferException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.wal.proto.WalProto;
import java.util.ArrayList;
import java.util.List;

/// Blocks as bytes, to be sent from the process that plans a read to those that do it. Nothing of
/// this is stored, so both ends have the same version.
public final class BlockReferences {
  private BlockReferences() {}

  /// @param blocks of one log, at least one
  public static byte[] toBytes(List<BlockRef> blocks) {
    LogName log = blocks.get(0).log();
    FooterCodec.Headers headers = new FooterCodec.Headers();
    WalProto.References.Builder out =
        WalProto.References.newBuilder().setPosition(log.at(0).toString());
    for (BlockRef block : blocks) {
      if (!block.log().equals(log)) {
        throw new IllegalArgumentException(block.describe() + " is not of log " + log);
      }
      out.addBlocks(
          WalProto.ParkedBlock.newBuilder()
              .setNumber(block.number())
              .setIndex(block.index())
              .setSegmentId(Ids.toProto(block.segmentId()))
              .setBlock(FooterCodec.encode(headers.indexOf(block.header()), block)));
    }
    return out.addAllHeaders(headers.all()).build().toByteArray();
  }

  /// Reads the form of [#toBytes].
  public static List<BlockRef> fromBytes(byte[] bytes) {
    try {
      WalProto.References in = WalProto.References.parseFrom(bytes);
      LogName log = Position.parse(in.getPosition()).log();
      List<BlockRef> blocks = new ArrayList<>(in.getBlocksCount());
      for (WalProto.ParkedBlock block : in.getBlocksList()) {
        blocks.add(
            FooterCodec.decode(
                log,
                block.getNumber(),
                block.getIndex(),
                Ids.fromProto(block.getSegmentId()),
                block.getBlock(),
                in.getHeadersList()));
      }
      return blocks;
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("not references to blocks", e);
    }
  }
}
