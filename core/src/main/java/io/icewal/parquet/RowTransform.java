package io.icewal.parquet;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.time.LocalDate;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Type;

/// One of Iceberg's partition transforms, over numbers and over bytes instead of boxed values.
///
/// @param parameter buckets or width; 0 for the other kinds
record RowTransform(Kind kind, int parameter, String text) {
  private static final long MICROS_PER_HOUR = 3_600_000_000L;
  private static final long NANOS_PER_MICRO = 1000;
  private static final int HOURS_PER_DAY = 24;
  private static final int EPOCH_YEAR = 1970;
  private static final int MONTHS_PER_YEAR = 12;

  enum Kind {
    IDENTITY,
    BUCKET,
    TRUNCATE,
    YEAR,
    MONTH,
    DAY,
    HOUR,
    VOID
  }

  /// @throws IcewalException INVALID for a transform that Iceberg 1.11 does not know either
  static RowTransform of(Transform<?, ?> transform) {
    String text = transform.toString();
    int bracket = text.indexOf('[');
    String name = bracket < 0 ? text : text.substring(0, bracket);
    int parameter =
        bracket < 0 ? 0 : Integer.parseInt(text.substring(bracket + 1, text.length() - 1));
    for (Kind kind : Kind.values()) {
      if (kind.name().equalsIgnoreCase(name)) {
        return new RowTransform(kind, parameter, text);
      }
    }
    throw new IcewalException(ErrorKind.INVALID, "partition transform '" + text + "' is not known");
  }

  /// The transform of an integer-like value: what Iceberg's internal form of `source` holds.
  long apply(long value, Type.TypeID source) {
    return switch (kind) {
      case IDENTITY -> value;
      case BUCKET ->
          bucket(Murmur3.hash(source == Type.TypeID.TIMESTAMP_NANO ? micros(value) : value));
      // Below the least multiple, ints and longs wrap around, as Iceberg's do.
      case TRUNCATE -> {
        long truncated = value - Math.floorMod(value, parameter);
        yield source == Type.TypeID.INTEGER ? (int) truncated : truncated;
      }
      case YEAR -> date(value, source).getYear() - EPOCH_YEAR;
      case MONTH -> {
        LocalDate date = date(value, source);
        yield (date.getYear() - EPOCH_YEAR) * (long) MONTHS_PER_YEAR + date.getMonthValue() - 1;
      }
      case DAY -> days(value, source);
      case HOUR -> hours(value, source);
      case VOID -> 0;
    };
  }

  int bucket(int hash) {
    return (hash & Integer.MAX_VALUE) % parameter;
  }

  private static long micros(long nanos) {
    return Math.floorDiv(nanos, NANOS_PER_MICRO);
  }

  private static long hours(long value, Type.TypeID source) {
    return switch (source) {
      case TIMESTAMP -> Math.floorDiv(value, MICROS_PER_HOUR);
      case TIMESTAMP_NANO -> Math.floorDiv(value, MICROS_PER_HOUR * NANOS_PER_MICRO);
      default -> throw new IllegalStateException("no hours in " + source);
    };
  }

  private static long days(long value, Type.TypeID source) {
    return source == Type.TypeID.DATE ? value : Math.floorDiv(hours(value, source), HOURS_PER_DAY);
  }

  private static LocalDate date(long value, Type.TypeID source) {
    return LocalDate.ofEpochDay(days(value, source));
  }

  /// Bytes that truncation leaves of a value.
  int truncatedLength(byte[] bytes, int offset, int length, Type.TypeID source) {
    if (kind != Kind.TRUNCATE) {
      return length;
    } else if (source != Type.TypeID.STRING) {
      return Math.min(length, parameter);
    }
    int characters = 0;
    for (int i = 0; i < length; i++) {
      boolean starts = (bytes[offset + i] & 0xC0) != 0x80;
      if (starts && characters++ == parameter) {
        return i;
      }
    }
    return length;
  }
}
