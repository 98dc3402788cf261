package io.icewal.merge;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.iceberg.transforms.Transforms;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/// Reads an encoded key back for people, component by component: the reverse of [KeyEncoding].
final class KeyText {
  private static final int CHARS_MAX = 100;

  private final ByteBuffer encoded;

  KeyText(byte[] encoded) {
    this.encoded = ByteBuffer.wrap(encoded);
  }

  /// The next component as Iceberg writes it for people, cut if it is long.
  String next(Type type) {
    String text = String.valueOf(Transforms.<Object>identity().toHumanString(type, value(type)));
    return text.length() <= CHARS_MAX ? text : text.substring(0, CHARS_MAX - 1) + "…";
  }

  /// In Iceberg's internal form.
  private Object value(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> encoded.get() != 0;
      case INTEGER, DATE -> (int) number();
      case DECIMAL -> new BigDecimal(unscaled(), ((Types.DecimalType) type).scale());
      case STRING -> new String(unescaped(), StandardCharsets.UTF_8);
      case BINARY -> ByteBuffer.wrap(unescaped());
      case FIXED -> ByteBuffer.wrap(bytes(((Types.FixedType) type).length()));
      case UUID -> new UUID(encoded.getLong(), encoded.getLong());
      default -> number();
    };
  }

  private long number() {
    return encoded.getLong() ^ Long.MIN_VALUE;
  }

  private BigInteger unscaled() {
    byte[] bytes = bytes(KeyEncoding.DECIMAL_BYTES);
    bytes[0] ^= (byte) 0x80;
    return new BigInteger(bytes);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    encoded.get(bytes);
    return bytes;
  }

  private byte[] unescaped() {
    byte[] bytes = new byte[encoded.remaining()];
    int length = 0;
    for (byte next = encoded.get(); ; next = encoded.get()) {
      if (next == 0 && encoded.get() == 1) {
        return java.util.Arrays.copyOf(bytes, length);
      }
      bytes[length++] = next;
    }
  }
}
