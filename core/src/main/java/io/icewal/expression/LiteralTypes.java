package io.icewal.expression;

import io.icewal.expression.Values.BytesPoint;
import io.icewal.expression.Values.DecimalPoint;
import io.icewal.expression.Values.FloatingPoint;
import io.icewal.expression.Values.IntegerPoint;
import io.icewal.expression.Values.Point;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/// Gives literals the type of the column they are compared with.
///
/// Times without a zone are UTC where the column has one; a zone is refused where it has none.
/// Fractions finer than the column's unit are kept exactly: nothing is rounded.
final class LiteralTypes {
  /// Numbers with more digits, before or behind the point, are hostile.
  private static final int DIGITS_MAX = 400;

  private static final Set<Type.TypeID> WITH_DATE =
      Set.of(Type.TypeID.DATE, Type.TypeID.TIMESTAMP, Type.TypeID.TIMESTAMP_NANO);

  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("HH:mm[:ss")
          .optionalStart()
          .appendFraction(java.time.temporal.ChronoField.NANO_OF_SECOND, 1, 9, true)
          .optionalEnd()
          .appendPattern("]")
          .toFormatter(java.util.Locale.ROOT);

  private static final DateTimeFormatter TIMESTAMP =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .optionalStart()
          .appendPattern("['T'][' ']")
          .append(TIME)
          .appendPattern("[' ']")
          .optionalStart()
          .appendOffset("+HH:MM", "Z")
          .optionalEnd()
          .optionalStart()
          .appendLiteral("UTC")
          .optionalEnd()
          .optionalEnd()
          .toFormatter(java.util.Locale.ROOT);

  private LiteralTypes() {}

  /// @throws IllegalArgumentException with what was expected, if the literal cannot be compared
  ///   with values of the type
  static Point point(RawLiteral literal, Type type) {
    try {
      return switch (type.typeId()) {
        case BOOLEAN -> bool(literal);
        case INTEGER -> integer(literal, Integer.MIN_VALUE, Integer.MAX_VALUE);
        case LONG -> integer(literal, Long.MIN_VALUE, Long.MAX_VALUE);
        case FLOAT -> new FloatingPoint(nearestFloat(floating(literal)));
        case DOUBLE -> new FloatingPoint(floating(literal));
        case DECIMAL -> DecimalPoint.of(number(literal), ((Types.DecimalType) type).scale());
        case DATE -> date(text(literal, type));
        case TIME -> time(text(literal, type));
        case TIMESTAMP ->
            timestamp(text(literal, type), ((Types.TimestampType) type).shouldAdjustToUTC(), 3);
        case TIMESTAMP_NANO ->
            timestamp(text(literal, type), ((Types.TimestampNanoType) type).shouldAdjustToUTC(), 0);
        case STRING -> new BytesPoint(plainText(literal).getBytes(StandardCharsets.UTF_8));
        case BINARY -> new BytesPoint(hex(literal));
        case FIXED -> fixed(literal, ((Types.FixedType) type).length());
        case UUID -> uuid(literal);
        default -> throw new IllegalArgumentException("type " + type + " has no literals");
      };
    } catch (DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException(literal.describe() + " is no " + type, e);
    }
  }

  private static IllegalArgumentException expected(String what, RawLiteral literal) {
    return new IllegalArgumentException("expected " + what + ", saw " + literal.describe());
  }

  private static Point bool(RawLiteral literal) {
    if (literal instanceof RawLiteral.Bool bool) {
      return new IntegerPoint(bool.value() ? 1 : 0, 0);
    }
    throw expected("TRUE or FALSE", literal);
  }

  private static Point integer(RawLiteral literal, long min, long max) {
    return IntegerPoint.of(number(literal), min, max);
  }

  private static BigDecimal number(RawLiteral literal) {
    if (literal instanceof RawLiteral.Decimal number) {
      return checked(number.value());
    }
    if (literal instanceof RawLiteral.Text text && text.word().isEmpty()) {
      try {
        if (text.value().length() <= DIGITS_MAX) {
          return checked(new BigDecimal(text.value().trim()));
        }
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("expected a number, saw " + literal.describe(), e);
      }
    }
    throw expected("a number", literal);
  }

  /// Refuses numbers whose plain form would be huge.
  static BigDecimal checked(BigDecimal value) {
    if (value.precision() > DIGITS_MAX
        || Math.abs((long) value.scale()) > DIGITS_MAX
        || Math.abs((long) value.precision() - value.scale()) > DIGITS_MAX) {
      throw new IllegalArgumentException("a number of more than " + DIGITS_MAX + " digits");
    }
    return value;
  }

  private static double floating(RawLiteral literal) {
    if (literal instanceof RawLiteral.Text text && text.word().isEmpty()) {
      switch (text.value().trim().toLowerCase(java.util.Locale.ROOT)) {
        case "nan" -> {
          return Double.NaN;
        }
        case "infinity", "inf", "+infinity", "+inf" -> {
          return Double.POSITIVE_INFINITY;
        }
        case "-infinity", "-inf" -> {
          return Double.NEGATIVE_INFINITY;
        }
        default -> {}
      }
    }
    return number(literal).doubleValue();
  }

  /// A literal for a float column means the float nearest to it, as 0.1 means 0.1f there.
  private static double nearestFloat(double value) {
    float near = (float) value;
    return Float.isInfinite(near) ? value : near;
  }

  private static String text(RawLiteral literal, Type type) {
    if (literal instanceof RawLiteral.Text text) {
      boolean fits =
          switch (text.word()) {
            case "" -> true;
            case "DATE" -> WITH_DATE.contains(type.typeId());
            case "TIME" -> type.typeId() == Type.TypeID.TIME;
            case "TIMESTAMP" ->
                WITH_DATE.contains(type.typeId()) && type.typeId() != Type.TypeID.DATE;
            default -> false;
          };
      if (fits) {
        return text.value().trim();
      }
    }
    throw expected("a " + type + " as text", literal);
  }

  private static String plainText(RawLiteral literal) {
    if (literal instanceof RawLiteral.Text text && text.word().isEmpty()) {
      return text.value();
    }
    throw expected("text", literal);
  }

  private static Point date(String text) {
    return new IntegerPoint(
        Math.toIntExact(LocalDate.parse(text, DateTimeFormatter.ISO_LOCAL_DATE).toEpochDay()), 0);
  }

  private static Point time(String text) {
    long nanos = LocalTime.parse(text, TIME).toNanoOfDay();
    return IntegerPoint.of(BigDecimal.valueOf(nanos, 3), 0, Long.MAX_VALUE);
  }

  /// @param digits how many decimal digits the column's unit is coarser than a nanosecond
  private static Point timestamp(String text, boolean zoned, int digits) {
    TemporalAccessor parsed = TIMESTAMP.parse(text);
    LocalTime time = parsed.query(TemporalQueries.localTime());
    ZoneOffset offset = parsed.query(TemporalQueries.offset());
    if (offset == null && text.endsWith("UTC")) {
      offset = ZoneOffset.UTC;
    }
    if (offset != null && !zoned) {
      throw new IllegalArgumentException(
          "expected a timestamp without time zone, saw '" + text + "'");
    }
    LocalDateTime local =
        LocalDateTime.of(LocalDate.from(parsed), time == null ? LocalTime.MIDNIGHT : time);
    long seconds = local.toEpochSecond(offset == null ? ZoneOffset.UTC : offset);
    BigDecimal nanos =
        BigDecimal.valueOf(seconds)
            .movePointRight(9)
            .add(BigDecimal.valueOf(local.toLocalTime().getNano()));
    return IntegerPoint.of(nanos.movePointLeft(digits), Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private static byte[] hex(RawLiteral literal) {
    if (literal instanceof RawLiteral.Hex hex) {
      return hex.value();
    }
    throw expected("bytes as X'…'", literal);
  }

  private static Point fixed(RawLiteral literal, int length) {
    byte[] bytes = hex(literal);
    if (bytes.length != length) {
      throw expected(length + " bytes as X'…'", literal);
    }
    return new BytesPoint(bytes);
  }

  private static Point uuid(RawLiteral literal) {
    if (literal instanceof RawLiteral.Text text
        && (text.word().isEmpty() || text.word().equals("UUID"))
        && text.value().trim().length() == 36) {
      UUID uuid = UUID.fromString(text.value().trim());
      return new BytesPoint(
          ByteBuffer.allocate(16)
              .putLong(uuid.getMostSignificantBits())
              .putLong(uuid.getLeastSignificantBits())
              .array());
    }
    throw expected("a UUID of 36 characters as text", literal);
  }
}
