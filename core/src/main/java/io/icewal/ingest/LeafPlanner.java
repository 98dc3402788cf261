package io.icewal.ingest;

import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/// Which Arrow type becomes which table type, for types without children.
final class LeafPlanner {
  private static final long SECONDS_A_DAY = 24 * 60 * 60;
  private static final long MILLIS_A_DAY = SECONDS_A_DAY * 1000;

  /// Beyond it no value but 0 fits a decimal of 38 digits.
  private static final int SCALE_MAX = 76;

  private LeafPlanner() {}

  /// Null if this Arrow type never becomes that table type without loss.
  static @Nullable ColumnConverter plan(ArrowType in, Site site) {
    return switch (site.type().typeId()) {
      case BOOLEAN -> in instanceof ArrowType.Bool ? new BooleanConverter(site) : null;
      case INTEGER -> whole(in, site, Integer.BYTES, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case LONG -> whole(in, site, Long.BYTES, Long.MIN_VALUE, Long.MAX_VALUE);
      case FLOAT -> floating(in, site, true);
      case DOUBLE -> floating(in, site, false);
      case DECIMAL -> decimal(in, site);
      case DATE -> date(in, site);
      case TIME -> time(in, site);
      case TIMESTAMP ->
          timestamp(
              in,
              site,
              ((Types.TimestampType) site.type()).shouldAdjustToUTC(),
              TimeUnit.MICROSECOND);
      case TIMESTAMP_NANO ->
          timestamp(
              in,
              site,
              ((Types.TimestampNanoType) site.type()).shouldAdjustToUTC(),
              TimeUnit.NANOSECOND);
      case STRING -> text(in, site);
      case BINARY -> bytes(in, site);
      case FIXED -> fixed(in, site, ((Types.FixedType) site.type()).length());
      case UUID -> uuid(in, site);
      default -> null;
    };
  }

  /// What becomes the type, in words for the sender.
  static String accepted(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> "bool";
      case INTEGER, LONG -> "an integer of any width";
      case FLOAT, DOUBLE -> "a floating point number or an integer";
      case DECIMAL -> "a decimal of any width or an integer";
      case DATE -> "date32 or date64";
      case TIME -> "time32 or time64";
      case TIMESTAMP -> zone(((Types.TimestampType) type).shouldAdjustToUTC());
      case TIMESTAMP_NANO -> zone(((Types.TimestampNanoType) type).shouldAdjustToUTC());
      case STRING -> "utf8, large_utf8 or utf8_view";
      case BINARY -> "binary, large_binary, binary_view or fixed_size_binary";
      case FIXED ->
          "fixed_size_binary(" + ((Types.FixedType) type).length() + ") or binary of that length";
      case UUID -> "arrow.uuid, fixed_size_binary(16), binary of 16 bytes or its text";
      case UNKNOWN -> "null";
      default -> "nothing: this type is not supported by icewal";
    };
  }

  private static String zone(boolean adjusted) {
    return adjusted ? "a timestamp with a time zone" : "a timestamp without a time zone";
  }

  private static @Nullable ColumnConverter whole(
      ArrowType in, Site site, int outBytes, long min, long max) {
    if (!(in instanceof ArrowType.Int type)) {
      return null;
    }
    WordSource source = WordSource.of(type.getBitWidth(), type.getIsSigned());
    boolean wide = source == WordSource.UINT64;
    boolean needsCheck =
        wide || source.bytes() > outBytes || (source == WordSource.UINT32 && outBytes == 4);
    WordRule rule = needsCheck ? WordRule.between(wide ? 0 : min, max) : WordRule.ANY;
    return new WordConverter(site, source, rule, outBytes, "");
  }

  private static @Nullable ColumnConverter floating(ArrowType in, Site site, boolean toFloat) {
    if (in instanceof ArrowType.Int type) {
      return FloatConverter.fromWhole(
          site, WordSource.of(type.getBitWidth(), type.getIsSigned()), toFloat);
    }
    if (!(in instanceof ArrowType.FloatingPoint type)) {
      return null;
    }
    FloatingPointPrecision same =
        toFloat ? FloatingPointPrecision.SINGLE : FloatingPointPrecision.DOUBLE;
    if (type.getPrecision() == same) {
      WordSource bits = toFloat ? WordSource.INT32 : WordSource.INT64;
      return new WordConverter(site, bits, WordRule.ANY, bits.bytes(), "");
    }
    int bytes =
        switch (type.getPrecision()) {
          case HALF -> 2;
          case SINGLE -> 4;
          case DOUBLE -> 8;
        };
    return FloatConverter.fromFloats(site, bytes, toFloat);
  }

  private static @Nullable ColumnConverter decimal(ArrowType in, Site site) {
    if (in instanceof ArrowType.Int type) {
      return DecimalConverter.fromWhole(
          site, WordSource.of(type.getBitWidth(), type.getIsSigned()));
    }
    return in instanceof ArrowType.Decimal type && Math.abs(type.getScale()) <= SCALE_MAX
        ? DecimalConverter.fromDecimals(site, type.getBitWidth() / 8, type.getScale())
        : null;
  }

  private static @Nullable ColumnConverter date(ArrowType in, Site site) {
    if (!(in instanceof ArrowType.Date type)) {
      return null;
    }
    if (type.getUnit() == DateUnit.DAY) {
      return new WordConverter(site, WordSource.INT32, WordRule.ANY, Integer.BYTES, " days");
    }
    WordRule wholeDays =
        WordRule.coarser(MILLIS_A_DAY)
            .within(
                Integer.MIN_VALUE * MILLIS_A_DAY,
                Integer.MAX_VALUE * MILLIS_A_DAY,
                "days that fit into 32 bits");
    return new WordConverter(site, WordSource.INT64, wholeDays, Integer.BYTES, " ms");
  }

  private static @Nullable ColumnConverter time(ArrowType in, Site site) {
    if (!(in instanceof ArrowType.Time type)) {
      return null;
    }
    WordRule rule =
        scale(type.getUnit(), TimeUnit.MICROSECOND)
            .within(
                0, SECONDS_A_DAY * perSecond(type.getUnit()) - 1, "from 00:00:00, before 24:00:00");
    return new WordConverter(
        site, WordSource.of(type.getBitWidth(), true), rule, Long.BYTES, suffix(type.getUnit()));
  }

  private static @Nullable ColumnConverter timestamp(
      ArrowType in, Site site, boolean adjusted, TimeUnit unit) {
    if (!(in instanceof ArrowType.Timestamp type)) {
      return null;
    }
    String zone = type.getTimezone();
    if (adjusted != (zone != null && !zone.isEmpty())) {
      return null;
    }
    return new WordConverter(
        site, WordSource.INT64, scale(type.getUnit(), unit), Long.BYTES, suffix(type.getUnit()));
  }

  private static WordRule scale(TimeUnit from, TimeUnit to) {
    if (from == to) {
      return WordRule.ANY;
    }
    return perSecond(from) < perSecond(to)
        ? WordRule.finer(perSecond(to) / perSecond(from))
        : WordRule.coarser(perSecond(from) / perSecond(to));
  }

  private static long perSecond(TimeUnit unit) {
    return switch (unit) {
      case SECOND -> 1;
      case MILLISECOND -> 1_000;
      case MICROSECOND -> 1_000_000;
      case NANOSECOND -> 1_000_000_000;
    };
  }

  private static String suffix(TimeUnit unit) {
    return switch (unit) {
      case SECOND -> " s";
      case MILLISECOND -> " ms";
      case MICROSECOND -> " us";
      case NANOSECOND -> " ns";
    };
  }

  private static @Nullable ColumnConverter text(ArrowType in, Site site) {
    ByteForm form = textForm(in);
    return form == null ? null : new BytesConverter(site, form, 0, true);
  }

  private static @Nullable ColumnConverter bytes(ArrowType in, Site site) {
    if (in instanceof ArrowType.FixedSizeBinary type) {
      return new BytesConverter(site, ByteForm.FIXED, type.getByteWidth(), false);
    }
    ByteForm form = binaryForm(in);
    return form == null ? null : new BytesConverter(site, form, 0, false);
  }

  private static @Nullable ColumnConverter fixed(ArrowType in, Site site, int width) {
    if (in instanceof ArrowType.FixedSizeBinary type) {
      return type.getByteWidth() == width
          ? new FixedConverter(site, ByteForm.FIXED, width, width, false)
          : null;
    }
    ByteForm form = binaryForm(in);
    return form == null ? null : new FixedConverter(site, form, 0, width, false);
  }

  private static @Nullable ColumnConverter uuid(ArrowType in, Site site) {
    ByteForm text = textForm(in);
    return text == null ? fixed(in, site, 16) : new FixedConverter(site, text, 0, 16, true);
  }

  private static @Nullable ByteForm textForm(ArrowType in) {
    if (in instanceof ArrowType.Utf8) {
      return ByteForm.VARIABLE;
    }
    if (in instanceof ArrowType.LargeUtf8) {
      return ByteForm.LARGE;
    }
    return in instanceof ArrowType.Utf8View ? ByteForm.VIEW : null;
  }

  private static @Nullable ByteForm binaryForm(ArrowType in) {
    if (in instanceof ArrowType.Binary) {
      return ByteForm.VARIABLE;
    }
    if (in instanceof ArrowType.LargeBinary) {
      return ByteForm.LARGE;
    }
    return in instanceof ArrowType.BinaryView ? ByteForm.VIEW : null;
  }
}
