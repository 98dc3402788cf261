package io.icewal.merge;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/// Column bounds of a data file (single values in Iceberg's serialized form) as the beginning of an
/// encoded key. A file's rows are component by component between its bounds, so their keys are
/// between the concatenated bounds too; at the first missing bound the encoding ends.
///
/// Bounds of UUIDs are less than they say. Iceberg 1.11 merges those of the row groups as signed
/// numbers, though each is of unsigned bytes. Then a lower bound counts only if it is not negative,
/// since else there may be lower ones that are not; an upper bound only if it is negative. In a
/// file of one row group nothing was merged. The low halves count for nothing: writers differ there
/// too.
enum KeyBounds {
  LOWER,
  UPPER;

  private static final int UUID_BYTES = 8;

  /// @param bounds the file's bounds on this side
  /// @param merged whether they may come from more than one row group
  byte[] encode(
      List<Integer> ids,
      List<Type> types,
      @Nullable Map<Integer, ByteBuffer> bounds,
      boolean merged) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < ids.size(); i++) {
      ByteBuffer bound = bounds == null ? null : bounds.get(ids.get(i));
      Type type = types.get(i);
      if (bound == null || !fits(type, bound.remaining())) {
        break;
      }
      Object value = Conversions.fromByteBuffer(type, bound.duplicate());
      if (value instanceof java.util.UUID uuid) {
        if (!merged || (uuid.getMostSignificantBits() < 0) == (this == UPPER)) {
          out.writeBytes(uuid(uuid));
        }
        break;
      }
      out.writeBytes(component(type, value));
    }
    return out.toByteArray();
  }

  /// Whether a bound can be of the type: files written before a promotion have shorter ones, of
  /// which only those of ints that became longs are known.
  private static boolean fits(Type type, int bytes) {
    return switch (type.typeId()) {
      case BOOLEAN -> bytes == 1;
      case INTEGER, DATE -> bytes == Integer.BYTES;
      case LONG -> bytes == Integer.BYTES || bytes == Long.BYTES;
      case TIME, TIMESTAMP, TIMESTAMP_NANO -> bytes == Long.BYTES;
      case UUID -> bytes == 2 * Long.BYTES;
      case FIXED -> bytes == ((Types.FixedType) type).length();
      default -> true;
    };
  }

  private static byte[] component(Type type, Object value) {
    return switch (type.typeId()) {
      case BOOLEAN -> new byte[] {(byte) ((Boolean) value ? 1 : 0)};
      case DECIMAL -> decimal(((BigDecimal) value).unscaledValue());
      case STRING -> escaped(value.toString().getBytes(StandardCharsets.UTF_8));
      case BINARY -> escaped(bytes((ByteBuffer) value));
      case FIXED -> bytes((ByteBuffer) value);
      default ->
          ByteBuffer.allocate(Long.BYTES)
              .putLong(((Number) value).longValue() ^ Long.MIN_VALUE)
              .array();
    };
  }

  private static byte[] uuid(java.util.UUID value) {
    return ByteBuffer.allocate(UUID_BYTES).putLong(value.getMostSignificantBits()).array();
  }

  private static byte[] decimal(BigInteger unscaled) {
    byte[] bytes = unscaled.toByteArray();
    byte[] out = new byte[KeyEncoding.DECIMAL_BYTES];
    int pad = out.length - bytes.length;
    if (unscaled.signum() < 0) {
      java.util.Arrays.fill(out, 0, pad, (byte) -1);
    }
    System.arraycopy(bytes, 0, out, pad, bytes.length);
    out[0] ^= (byte) 0x80;
    return out;
  }

  private static byte[] escaped(byte[] bytes) {
    byte[] out = new byte[KeyEncoding.escapedLength(bytes, 0, bytes.length)];
    KeyEncoding.escape(bytes, 0, bytes.length, out, 0);
    return out;
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] out = new byte[buffer.remaining()];
    buffer.duplicate().get(out);
    return out;
  }
}
