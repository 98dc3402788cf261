package io.icewal.trino.write;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.icewal.merge.KeyVector;
import io.icewal.read.KeySlice;
import io.icewal.wal.StagedBlock;
import java.nio.ByteBuffer;

/// What a task tells the coordinator of one staged block.
///
/// @param block the block
/// @param keys the keys of its rows, sorted; none if nobody asks for them
record Fragment(StagedBlock block, KeySlice keys) {
  static Fragment of(StagedBlock block, KeyVector keys) {
    KeyVector sorted = keys.gather(keys.sort());
    return new Fragment(block, new KeySlice(sorted, 0, sorted.size()));
  }

  Slice toSlice() {
    byte[] blockBytes = block.toBytes();
    byte[] keyBytes = keys.toBytes();
    ByteBuffer out = ByteBuffer.allocate(Integer.BYTES + blockBytes.length + keyBytes.length);
    out.putInt(blockBytes.length).put(blockBytes).put(keyBytes);
    return Slices.wrappedBuffer(out.array());
  }

  static Fragment fromSlice(Slice slice) {
    ByteBuffer in = slice.toByteBuffer();
    byte[] blockBytes = new byte[in.getInt()];
    in.get(blockBytes);
    byte[] keyBytes = new byte[in.remaining()];
    in.get(keyBytes);
    return new Fragment(StagedBlock.fromBytes(blockBytes), KeySlice.fromBytes(keyBytes));
  }
}
