package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.util.Float16;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@NullUnmarked // Nulls are part of what is tested.
class NumberConversionTest {
  private static final ArrowType HALF = new ArrowType.FloatingPoint(FloatingPointPrecision.HALF);
  private static final ArrowType SINGLE =
      new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
  private static final ArrowType DOUBLE =
      new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);

  private final Harness harness = new Harness();

  @AfterEach
  void nothingIsLeftOpen() {
    harness.close();
  }

  private static ArrowType whole(int bits, boolean signed) {
    return new ArrowType.Int(bits, signed);
  }

  private VectorSchemaRoot longs(Long... values) {
    return harness.<BigIntVector>column(
        whole(64, true),
        values.length,
        vector -> {
          for (int i = 0; i < values.length; i++) {
            if (values[i] == null) {
              // Garbage under a null is out of every range, and ignored.
              vector.setSafe(i, Long.MIN_VALUE);
              vector.setNull(i);
            } else {
              vector.setSafe(i, values[i]);
            }
          }
        });
  }

  private VectorSchemaRoot doubles(double... values) {
    return harness.<Float8Vector>column(
        DOUBLE,
        values.length,
        vector -> {
          for (int i = 0; i < values.length; i++) {
            vector.setSafe(i, values[i]);
          }
        });
  }

  private VectorSchemaRoot decimals(int precision, int scale, String... values) {
    return harness.<DecimalVector>column(
        new ArrowType.Decimal(precision, scale, 128),
        values.length,
        vector -> {
          for (int i = 0; i < values.length; i++) {
            vector.setSafe(i, new BigDecimal(values[i]));
          }
        });
  }

  @Test
  void b097_longsOutsideIntAreRefusedByRow() {
    assertThat(harness.bad(Types.IntegerType.get(), longs(1L, 1L << 31, null, -(1L << 31) - 1)))
        .containsExactly("1 out-of-range 2147483648", "3 out-of-range -2147483649");
    assertThat(harness.good(Types.IntegerType.get(), longs(-(1L << 31), null, (1L << 31) - 1)))
        .isEqualTo(Arrays.asList(Integer.MIN_VALUE, null, Integer.MAX_VALUE));
  }

  @Test
  void narrowIntegersWiden() {
    VectorSchemaRoot tiny =
        harness.<TinyIntVector>column(whole(8, true), 2, v -> v.setSafe(0, -128));
    assertThat(harness.good(Types.LongType.get(), tiny)).isEqualTo(Arrays.asList(-128L, null));
    VectorSchemaRoot small =
        harness.<SmallIntVector>column(whole(16, true), 1, v -> v.setSafe(0, -3000));
    assertThat(harness.good(Types.IntegerType.get(), small)).isEqualTo(List.of(-3000));
    VectorSchemaRoot ints =
        harness.<IntVector>column(whole(32, true), 1, v -> v.setSafe(0, -70000));
    assertThat(harness.good(Types.LongType.get(), ints)).isEqualTo(List.of(-70000L));
  }

  @Test
  void b128_unsignedValuesNeverTurnNegative() {
    assertThat(harness.good(Types.LongType.get(), unsigned32())).isEqualTo(List.of(3_000_000_000L));
    assertThat(harness.bad(Types.IntegerType.get(), unsigned32()))
        .containsExactly("0 out-of-range 3000000000");
    VectorSchemaRoot wide =
        harness.<UInt8Vector>column(whole(64, false), 1, v -> v.setSafe(0, Long.MIN_VALUE));
    assertThat(harness.bad(Types.LongType.get(), wide))
        .containsExactly("0 out-of-range 9223372036854775808");
    VectorSchemaRoot fits =
        harness.<UInt8Vector>column(whole(64, false), 1, v -> v.setSafe(0, Long.MAX_VALUE));
    assertThat(harness.good(Types.LongType.get(), fits)).isEqualTo(List.of(Long.MAX_VALUE));
    VectorSchemaRoot one = harness.<UInt1Vector>column(whole(8, false), 1, v -> v.setSafe(0, 255));
    assertThat(harness.good(Types.IntegerType.get(), one)).isEqualTo(List.of(255));
    VectorSchemaRoot two =
        harness.<UInt2Vector>column(whole(16, false), 1, v -> v.setSafe(0, (char) 65535));
    assertThat(harness.good(Types.IntegerType.get(), two)).isEqualTo(List.of(65535));
  }

  private VectorSchemaRoot unsigned32() {
    return harness.<UInt4Vector>column(
        whole(32, false), 1, v -> v.setSafe(0, (int) 3_000_000_000L));
  }

  @Test
  void b097_doublesThatAreNotFloatsAreRefusedByRow() {
    assertThat(harness.good(Types.FloatType.get(), doubles(0.5, Double.NaN, -0.0, Float.MIN_VALUE)))
        .isEqualTo(List.of(0.5f, Float.NaN, -0.0f, Float.MIN_VALUE));
    assertThat(harness.bad(Types.FloatType.get(), doubles(0.5, 0.1, 1e300)))
        .containsExactly("1 precision-loss 0.1", "2 precision-loss 1.0E300");
  }

  @Test
  void smallerFloatsAndExactIntegersWiden() {
    VectorSchemaRoot half =
        harness.<Float2Vector>column(HALF, 1, v -> v.setSafe(0, Float16.toFloat16(1.5f)));
    assertThat(harness.good(Types.DoubleType.get(), half)).isEqualTo(List.of(1.5));
    VectorSchemaRoot single = harness.<Float4Vector>column(SINGLE, 1, v -> v.setSafe(0, 0.1f));
    assertThat(harness.good(Types.DoubleType.get(), single)).isEqualTo(List.of((double) 0.1f));
    assertThat(harness.good(Types.DoubleType.get(), longs(1L << 53, Long.MIN_VALUE)))
        .isEqualTo(List.of(0x1p53, -0x1p63));
    assertThat(harness.bad(Types.DoubleType.get(), longs((1L << 53) + 1)))
        .containsExactly("0 precision-loss 9007199254740993");
    assertThat(harness.bad(Types.FloatType.get(), longs((1L << 24) + 1)))
        .containsExactly("0 precision-loss 16777217");
  }

  @Test
  void b097_decimalsAreExactOrRefused() {
    assertThat(harness.good(Types.DecimalType.of(10, 2), decimals(12, 4, "1.5000", "-0.0100")))
        .isEqualTo(List.of(new BigDecimal("1.50"), new BigDecimal("-0.01")));
    assertThat(harness.bad(Types.DecimalType.of(10, 2), decimals(12, 4, "1.5000", "1.5001")))
        .containsExactly("1 precision-loss 1.5001");
    assertThat(harness.bad(Types.DecimalType.of(4, 2), decimals(12, 2, "99.99", "-100.00")))
        .containsExactly("1 out-of-range -100.00");
    assertThat(harness.good(Types.DecimalType.of(38, 10), decimals(20, 0, "12345678901234567890")))
        .isEqualTo(List.of(new BigDecimal("12345678901234567890.0000000000")));
    assertThat(harness.bad(Types.DecimalType.of(22, 4), decimals(20, 0, "12345678901234567890")))
        .containsExactly("0 out-of-range 12345678901234567890");
  }

  /// Case b058: 1E+2 is 100.00, 10.23 is 10.230.
  @Test
  void b058_decimalsOfAnyScaleGetTheColumnsOwn() {
    assertThat(harness.good(Types.DecimalType.of(10, 2), decimals(3, -2, "1E+2", "-5E+2")))
        .isEqualTo(List.of(new BigDecimal("100.00"), new BigDecimal("-500.00")));
    assertThat(harness.good(Types.DecimalType.of(10, 3), decimals(10, 2, "10.23")))
        .isEqualTo(List.of(new BigDecimal("10.230")));
  }

  @Test
  void aDecimalThatBreaksItsOwnPrecisionIsRefused() {
    String nines = "9".repeat(38);
    assertThat(harness.good(Types.DecimalType.of(38, 0), decimals(38, 0, nines, "-" + nines)))
        .isEqualTo(List.of(new BigDecimal(nines), new BigDecimal("-" + nines)));
    VectorSchemaRoot liar =
        harness.<DecimalVector>column(
            new ArrowType.Decimal(4, 2, 128),
            2,
            vector -> {
              vector.setSafe(0, 9999);
              vector.setSafe(1, 10000);
            });
    assertThat(harness.bad(Types.DecimalType.of(4, 2), liar))
        .containsExactly("1 out-of-range 100.00");
  }

  @Test
  void decimalsOfOtherWidthsAndIntegersBecomeDecimals() {
    VectorSchemaRoot wide =
        harness.<Decimal256Vector>column(
            new ArrowType.Decimal(60, 20, 256),
            2,
            vector -> {
              vector.setSafe(0, new BigDecimal("-7.25000000000000000000"));
              vector.setSafe(1, new BigDecimal("1e30").setScale(20));
            });
    assertThat(harness.bad(Types.DecimalType.of(10, 2), wide))
        .containsExactly("1 out-of-range 1" + "0".repeat(30) + "." + "0".repeat(20));
    assertThat(harness.good(Types.DecimalType.of(10, 2), narrowDecimals(32, -725, 1)))
        .isEqualTo(List.of(new BigDecimal("-7.25"), new BigDecimal("0.01")));
    assertThat(harness.good(Types.DecimalType.of(10, 2), narrowDecimals(64, -725, 1)))
        .isEqualTo(List.of(new BigDecimal("-7.25"), new BigDecimal("0.01")));
    assertThat(harness.good(Types.DecimalType.of(10, 2), longs(5L, null)))
        .isEqualTo(Arrays.asList(new BigDecimal("5.00"), null));
    VectorSchemaRoot unsigned =
        harness.<UInt8Vector>column(whole(64, false), 1, v -> v.setSafe(0, -1));
    assertThat(harness.good(Types.DecimalType.of(38, 0), unsigned))
        .isEqualTo(List.of(new BigDecimal("18446744073709551615")));
  }

  /// decimal32 and decimal64 as they come off the wire: this Arrow has no vector of its own for
  /// them and keeps their buffers as they are.
  private VectorSchemaRoot narrowDecimals(int bits, int... unscaled) {
    FieldVector vector =
        Harness.field("v", new ArrowType.Decimal(9, 2, bits)).createVector(harness.in);
    try (ArrowBuf data = harness.in.buffer((long) unscaled.length * bits / 8)) {
      for (int i = 0; i < unscaled.length; i++) {
        if (bits == 32) {
          data.setInt(4L * i, unscaled[i]);
        } else {
          data.setLong(8L * i, unscaled[i]);
        }
      }
      vector.loadFieldBuffers(
          new ArrowFieldNode(unscaled.length, 0), List.of(harness.in.getEmpty(), data));
    }
    return Harness.rows(unscaled.length, vector);
  }

  @Test
  void booleansKeepTheirBits() {
    VectorSchemaRoot bits =
        harness.<BitVector>column(
            ArrowType.Bool.INSTANCE,
            9,
            vector -> {
              vector.setSafe(0, 1);
              vector.setSafe(1, 0);
              vector.setSafe(8, 1);
            });
    assertThat(harness.good(Types.BooleanType.get(), bits))
        .isEqualTo(Arrays.asList(true, false, null, null, null, null, null, null, true));
  }
}
