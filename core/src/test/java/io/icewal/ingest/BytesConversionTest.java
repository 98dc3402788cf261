package io.icewal.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.IcewalException;
import io.icewal.model.RowBatch;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@NullUnmarked // Nulls are part of what is tested.
class BytesConversionTest {
  private static final Type STRING = Types.StringType.get();
  private static final String LONG_TEXT = "a text of more than twelve bytes, ä€😀";

  private final Harness harness = new Harness();

  @AfterEach
  void nothingIsLeftOpen() {
    harness.close();
  }

  private VectorSchemaRoot texts(byte[]... values) {
    return harness.<VarCharVector>column(
        ArrowType.Utf8.INSTANCE,
        values.length,
        vector -> {
          for (int i = 0; i < values.length; i++) {
            if (values[i] != null) {
              vector.setSafe(i, values[i]);
            }
          }
        });
  }

  private VectorSchemaRoot binaries(byte[]... values) {
    return harness.<VarBinaryVector>column(
        ArrowType.Binary.INSTANCE,
        values.length,
        vector -> {
          for (int i = 0; i < values.length; i++) {
            vector.setSafe(i, values[i]);
          }
        });
  }

  @Test
  void largeAndViewTextsBecomeTexts() {
    List<Object> expected = Arrays.asList("", LONG_TEXT, null, "short");
    VectorSchemaRoot large =
        harness.<LargeVarCharVector>column(
            ArrowType.LargeUtf8.INSTANCE,
            4,
            vector -> {
              vector.setSafe(0, new byte[0]);
              vector.setSafe(1, LONG_TEXT.getBytes(UTF_8));
              vector.setSafe(3, "short".getBytes(UTF_8));
            });
    assertThat(harness.good(STRING, large)).isEqualTo(expected);
    VectorSchemaRoot views =
        harness.<ViewVarCharVector>column(
            ArrowType.Utf8View.INSTANCE,
            4,
            vector -> {
              vector.setSafe(0, new byte[0]);
              vector.setSafe(1, LONG_TEXT.getBytes(UTF_8));
              vector.setSafe(3, "short".getBytes(UTF_8));
            });
    assertThat(harness.good(STRING, views)).isEqualTo(expected);
  }

  @Test
  void b064_textsThatAreNotUtf8AreRefusedByRow() {
    byte[] ascii = "plain".getBytes(UTF_8);
    assertThat(
            harness.bad(
                STRING,
                texts(
                    ascii,
                    new byte[] {(byte) 0xFF, (byte) 0xFE},
                    LONG_TEXT.getBytes(UTF_8),
                    new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
                    new byte[] {(byte) 0xC0, (byte) 0x80},
                    new byte[] {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
                    new byte[] {(byte) 0xE2, (byte) 0x82})))
        .containsExactly(
            "1 utf8 bytes ff fe",
            "3 utf8 bytes ed a0 80",
            "4 utf8 bytes c0 80",
            "5 utf8 bytes f4 90 80 80",
            "6 utf8 bytes e2 82");
  }

  @Test
  void b064_aCharacterSplitBetweenTwoRowsIsRefusedInBoth() {
    assertThat(harness.bad(STRING, texts(new byte[] {(byte) 0xC3}, new byte[] {(byte) 0xA4})))
        .containsExactly("0 utf8 bytes c3", "1 utf8 bytes a4");
  }

  @Test
  void utf8CheckAgreesWithTheJdkOnRandomBytes() {
    java.util.Random random = new java.util.Random(5);
    try (ArrowBuf buffer = harness.in.buffer(64)) {
      for (int round = 0; round < 200_000; round++) {
        byte[] bytes = new byte[random.nextInt(12)];
        for (int i = 0; i < bytes.length; i++) {
          int kind = random.nextInt(6);
          bytes[i] =
              (byte)
                  switch (kind) {
                    case 0 -> 0x80 + random.nextInt(64);
                    case 1 -> 0xC0 + random.nextInt(32);
                    case 2 -> 0xE0 + random.nextInt(16);
                    case 3 -> 0xF0 + random.nextInt(16);
                    case 4 -> random.nextInt(256);
                    default -> random.nextInt(128);
                  };
        }
        buffer.setBytes(0, bytes);
        boolean expected = Arrays.equals(new String(bytes, UTF_8).getBytes(UTF_8), bytes);
        assertThat(Utf8.isValid(buffer.memoryAddress(), bytes.length)).isEqualTo(expected);
      }
    }
  }

  @Test
  void b053_zeroBytesAndSeparatorsSurvive() {
    assertThat(harness.good(STRING, texts("a\0b,\\;".getBytes(UTF_8), "null".getBytes(UTF_8))))
        .isEqualTo(List.of("a\0b,\\;", "null"));
  }

  /// Offsets as a sender may have written them.
  private VectorSchemaRoot crafted(int valueCount, int dataBytes, int... offsets) {
    FieldVector vector = Harness.field("v", ArrowType.Utf8.INSTANCE).createVector(harness.in);
    try (ArrowBuf data = harness.in.buffer(dataBytes);
        ArrowBuf ends = harness.in.buffer(4L * Math.max(1, offsets.length))) {
      for (int i = 0; i < dataBytes; i++) {
        data.setByte(i, 'a' + i % 26);
      }
      for (int i = 0; i < offsets.length; i++) {
        ends.setInt(4L * i, offsets[i]);
      }
      vector.loadFieldBuffers(
          new ArrowFieldNode(valueCount, 0),
          List.of(
              harness.in.getEmpty(), ends.slice(0, 4L * offsets.length), data.slice(0, dataBytes)));
    }
    return Harness.rows(valueCount, vector);
  }

  @Test
  void b121_offsetsThatDoNotBeginAtZeroAreRight() {
    assertThat(harness.good(STRING, crafted(2, 6, 1, 3, 6))).isEqualTo(List.of("bc", "def"));
  }

  @Test
  void b119_offsetsOutsideTheDataAreRefused() {
    assertThat(harness.bad(STRING, crafted(3, 6, 0, 2, 5000, 6)))
        .containsExactly(
            "1 malformed bytes 2 to 5000 of a buffer of 6",
            "2 malformed bytes 5000 to 6 of a buffer of 6");
    assertThat(harness.bad(STRING, crafted(2, 6, 0, -8, 6))).hasSize(2);
    assertThat(harness.bad(STRING, crafted(2, 6, 0, Integer.MAX_VALUE, Integer.MIN_VALUE)))
        .hasSize(2);
    assertThat(harness.bad(STRING, crafted(3, 6, 0, 2))).containsExactly("-1 malformed null");
  }

  @Test
  void b119_viewsOutsideTheirBuffersAreRefused() {
    VectorSchemaRoot views =
        harness.<ViewVarCharVector>column(
            ArrowType.Utf8View.INSTANCE,
            5,
            vector -> {
              for (int i = 0; i < 5; i++) {
                vector.setSafe(i, LONG_TEXT.getBytes(UTF_8));
              }
              vector.getDataBuffer().setInt(16 + 8, 7);
              vector.getDataBuffer().setInt(32 + 12, -5);
              vector.getDataBuffer().setInt(48, Integer.MAX_VALUE);
              vector.getDataBuffer().setInt(64 + 4, 0);
            });
    List<String> verdicts = harness.bad(STRING, views);
    assertThat(verdicts).hasSize(4).allMatch(verdict -> verdict.contains("malformed"));
    assertThat(verdicts.get(0)).contains("view of buffer 7");
    assertThat(verdicts.get(3)).contains("prefix differs");
  }

  @Test
  void b097_fixedTakesItsLengthOnly() {
    Type fixed = Types.FixedType.ofLength(3);
    assertThat(harness.good(fixed, binaries(new byte[] {1, 2, 3})))
        .isEqualTo(List.of(ByteBuffer.wrap(new byte[] {1, 2, 3})));
    assertThat(harness.bad(fixed, binaries(new byte[] {1, 2, 3}, new byte[4], new byte[0])))
        .containsExactly("1 length 4 bytes", "2 length 0 bytes");
    try (VectorSchemaRoot other =
        harness.<FixedSizeBinaryVector>column(
            new ArrowType.FixedSizeBinary(4), 1, v -> v.setSafe(0, new byte[4]))) {
      assertThatThrownBy(() -> harness.validate(Harness.column(fixed), other))
          .isInstanceOf(IcewalException.class)
          .hasMessageContaining("FixedSizeBinary(4)")
          .hasMessageContaining("fixed_size_binary(3)");
    }
  }

  @Test
  void binariesOfEveryFormBecomeBinaries() {
    List<Object> expected = List.of(ByteBuffer.wrap(new byte[] {0, -1}));
    VectorSchemaRoot large =
        harness.<LargeVarBinaryVector>column(
            ArrowType.LargeBinary.INSTANCE, 1, v -> v.setSafe(0, new byte[] {0, -1}));
    assertThat(harness.good(Types.BinaryType.get(), large)).isEqualTo(expected);
    VectorSchemaRoot fixed =
        harness.<FixedSizeBinaryVector>column(
            new ArrowType.FixedSizeBinary(2), 1, v -> v.setSafe(0, new byte[] {0, -1}));
    assertThat(harness.good(Types.BinaryType.get(), fixed)).isEqualTo(expected);
  }

  @Test
  void b127_uuidsComeAsBytesOrText() {
    UUID uuid = UUID.fromString("80808080-7f7f-00ff-8000-0123456789ab");
    byte[] bytes =
        ByteBuffer.allocate(16)
            .putLong(uuid.getMostSignificantBits())
            .putLong(uuid.getLeastSignificantBits())
            .array();
    Type type = Types.UUIDType.get();
    assertThat(harness.good(type, texts(uuid.toString().getBytes(UTF_8)))).isEqualTo(List.of(uuid));
    assertThat(
            harness.good(
                type, texts(uuid.toString().toUpperCase(java.util.Locale.ROOT).getBytes(UTF_8))))
        .isEqualTo(List.of(uuid));
    assertThat(harness.good(type, binaries(bytes))).isEqualTo(List.of(uuid));
    assertThat(harness.good(type, extension("arrow.uuid", bytes))).isEqualTo(List.of(uuid));
    assertThat(harness.bad(type, binaries(new byte[15]))).containsExactly("0 length 15 bytes");
    String wrong = uuid.toString().replace('-', '_');
    assertThat(harness.bad(type, texts("x".getBytes(UTF_8), wrong.getBytes(UTF_8))))
        .containsExactly("0 uuid x", "1 uuid " + wrong);
  }

  @Test
  void b127_uuidExtensionOnOtherStorageIsRefusedAndOthersAreTheirStorage() {
    try (VectorSchemaRoot wrong = extension("arrow.uuid", new byte[8])) {
      assertThatThrownBy(() -> harness.validate(Harness.column(Types.FixedType.ofLength(8)), wrong))
          .hasMessageContaining("arrow.uuid is stored as fixed_size_binary(16)");
    }
    assertThat(harness.good(Types.FixedType.ofLength(8), extension("my.own", new byte[8])))
        .isEqualTo(List.of(ByteBuffer.wrap(new byte[8])));
  }

  private VectorSchemaRoot extension(String name, byte[] value) {
    FieldType type =
        new FieldType(
            true,
            new ArrowType.FixedSizeBinary(value.length),
            null,
            Map.of("ARROW:extension:name", name));
    return harness.<FixedSizeBinaryVector>column(
        new Field("v", type, List.of()), 1, vector -> vector.setSafe(0, value));
  }

  @Test
  void canonicalColumnsAreSharedNotCopied() {
    try (VectorSchemaRoot batch = texts("abc".getBytes(UTF_8), null)) {
      ValidatedBatch result = harness.validate(Harness.column(STRING), batch);
      try (RowBatch rows = result.rows()) {
        assertThat(rows.rows().getVector(0).getDataBufferAddress())
            .isEqualTo(batch.getVector(0).getDataBufferAddress());
        batch.clear();
        assertThat(Canonical.read(rows.rows().getVector(0), STRING))
            .isEqualTo(Arrays.asList("abc", null));
      }
    }
  }
}
