package io.icewal.cli.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.jspecify.annotations.Nullable;

/// Columns of text and bytes: strings as they are, bytes as base64, UUIDs in their usual form.
final class JsonTexts {
  private static final Pattern UUID_FORM =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private JsonTexts() {}

  static final class Strings extends JsonLeaf<VarCharVector> {
    private byte[] utf8 = new byte[256];

    Strings(String path, VarCharVector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      JsonToken token = in.currentToken();
      if (token != JsonToken.VALUE_STRING && token != JsonToken.FIELD_NAME) { // a map's key
        wrongKind(in, faults, "a string");
        return;
      }
      int length = encode(in.getTextCharacters(), in.getTextOffset(), in.getTextLength());
      if (length < 0) {
        String text = in.getText();
        faults.add(path, "utf8", text, "expected Unicode text, got half of a surrogate pair");
      } else {
        vector.setSafe(index, utf8, 0, length);
      }
    }

    /// UTF-8 into the column's own buffer; -1 for a lone surrogate, which has no UTF-8 form.
    private int encode(char[] chars, int offset, int length) {
      if (utf8.length < length * 3) {
        utf8 = new byte[Math.max(length * 3, utf8.length * 2)];
      }
      int to = 0;
      for (int i = offset; i < offset + length; i++) {
        char c = chars[i];
        if (c < 0x80) {
          utf8[to++] = (byte) c;
        } else if (c < 0x800) {
          utf8[to++] = (byte) (0xC0 | (c >> 6));
          utf8[to++] = (byte) (0x80 | (c & 0x3F));
        } else if (!Character.isSurrogate(c)) {
          utf8[to++] = (byte) (0xE0 | (c >> 12));
          utf8[to++] = (byte) (0x80 | ((c >> 6) & 0x3F));
          utf8[to++] = (byte) (0x80 | (c & 0x3F));
        } else if (i + 1 < offset + length && Character.isSurrogatePair(c, chars[i + 1])) {
          int point = Character.toCodePoint(c, chars[++i]);
          utf8[to++] = (byte) (0xF0 | (point >> 18));
          utf8[to++] = (byte) (0x80 | ((point >> 12) & 0x3F));
          utf8[to++] = (byte) (0x80 | ((point >> 6) & 0x3F));
          utf8[to++] = (byte) (0x80 | (point & 0x3F));
        } else {
          return -1;
        }
      }
      return to;
    }

    @Override
    void writeNull(int index) {
      vector.setLastSet(Math.min(vector.getLastSet(), index - 1));
      vector.setNull(index);
    }
  }

  static final class Binaries extends JsonLeaf<VarBinaryVector> {
    Binaries(String path, VarBinaryVector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      byte[] bytes = base64(this, in, faults);
      if (bytes != null) {
        vector.setSafe(index, bytes);
      }
    }

    @Override
    void writeNull(int index) {
      vector.setLastSet(Math.min(vector.getLastSet(), index - 1));
      vector.setNull(index);
    }
  }

  static final class Fixed extends JsonLeaf<FixedSizeBinaryVector> {
    Fixed(String path, FixedSizeBinaryVector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      byte[] bytes = base64(this, in, faults);
      if (bytes == null) {
        return;
      }
      if (bytes.length != vector.getByteWidth()) {
        String message =
            "expected " + vector.getByteWidth() + " bytes in base64, got " + bytes.length;
        faults.add(path, "length", in.getText(), message);
      } else {
        vector.setSafe(index, bytes);
      }
    }
  }

  static final class Uuids extends JsonLeaf<FixedSizeBinaryVector> {
    Uuids(String path, FixedSizeBinaryVector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      boolean isString = in.currentToken() == JsonToken.VALUE_STRING;
      if (!isString || !UUID_FORM.matcher(in.getText()).matches()) {
        wrongKind(in, faults, "a UUID such as \"123e4567-e89b-12d3-a456-426614174000\"");
        return;
      }
      UUID uuid = UUID.fromString(in.getText());
      ByteBuffer bytes = ByteBuffer.allocate(16);
      bytes.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
      vector.setSafe(index, bytes.array());
    }
  }

  /// A column of type unknown: only null goes in.
  static final class Nulls extends JsonLeaf<NullVector> {
    Nulls(String path, NullVector vector) {
      super(path, vector);
    }

    @Override
    void readValue(JsonParser in, int index, RowFaults faults) throws IOException {
      wrongKind(in, faults, "null, the only value of type unknown");
    }

    @Override
    void writeNull(int index) {
      // A vector of nulls has nothing but its count.
    }
  }

  private static byte @Nullable [] base64(JsonColumn column, JsonParser in, RowFaults faults)
      throws IOException {
    if (in.currentToken() != JsonToken.VALUE_STRING) {
      column.wrongKind(in, faults, "bytes as a base64 string");
      return null;
    }
    String text = in.getText();
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      faults.add(
          column.path, "format", text, "expected bytes in base64, got " + JsonColumn.quote(text));
      return null;
    }
  }
}
