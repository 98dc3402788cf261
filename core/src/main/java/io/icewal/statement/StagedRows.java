package io.icewal.statement;

import io.icewal.merge.KeyVector;
import io.icewal.model.BlockKind;
import io.icewal.read.KeySlice;
import io.icewal.wal.StagedBlock;
import java.nio.ByteBuffer;

/// What a task tells of one block that it staged.
///
/// @param block the block
/// @param keys the keys of its rows, sorted; none if nobody asks for them
public record StagedRows(StagedBlock block, KeySlice keys) {
  /// @param keys of the block's rows, in any order
  public static StagedRows of(StagedBlock block, KeyVector keys) {
    KeyVector sorted = keys.gather(keys.sort());
    return new StagedRows(block, new KeySlice(sorted, 0, sorted.size()));
  }

  boolean deletes() {
    return block.header().kind() == BlockKind.DELETE;
  }

  /// A form to send between processes of the same version.
  public byte[] toBytes() {
    byte[] blockBytes = block.toBytes();
    byte[] keyBytes = keys.toBytes();
    ByteBuffer out = ByteBuffer.allocate(Integer.BYTES + blockBytes.length + keyBytes.length);
    out.putInt(blockBytes.length).put(blockBytes).put(keyBytes);
    return out.array();
  }

  /// Reads the form of [#toBytes].
  public static StagedRows fromBytes(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte[] blockBytes = new byte[in.getInt()];
    in.get(blockBytes);
    byte[] keyBytes = new byte[in.remaining()];
    in.get(keyBytes);
    return new StagedRows(StagedBlock.fromBytes(blockBytes), KeySlice.fromBytes(keyBytes));
  }
}
