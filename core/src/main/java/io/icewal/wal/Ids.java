package io.icewal.wal;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.random.RandomGenerator;

/// UUIDs from a given source of randomness, and as 16 bytes, most significant first.
final class Ids {
  static final int BYTES = 16;

  private Ids() {}

  /// A random UUID (version 4).
  static UUID random(RandomGenerator random) {
    long most = (random.nextLong() & ~0xF000L) | 0x4000L;
    long least = (random.nextLong() & ~(3L << 62)) | (1L << 63);
    return new UUID(most, least);
  }

  static byte[] toBytes(UUID id) {
    return ByteBuffer.allocate(BYTES)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  static UUID fromBytes(byte[] bytes, int offset) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, BYTES);
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  static ByteString toProto(UUID id) {
    return ByteString.copyFrom(toBytes(id));
  }

  /// @throws IllegalArgumentException if these are not 16 bytes
  static UUID fromProto(ByteString bytes) {
    if (bytes.size() != BYTES) {
      throw new IllegalArgumentException("a UUID of " + bytes.size() + " bytes");
    }
    return fromBytes(bytes.toByteArray(), 0);
  }
}
