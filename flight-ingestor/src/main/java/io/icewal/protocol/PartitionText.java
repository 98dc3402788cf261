package io.icewal.protocol;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.exceptions.ValidationException;

/// The partition list of a table to create: column names and the transforms year, month, day, hour,
/// `bucket(n, column)`, `truncate(width, column)`, void, identity, separated by commas.
public final class PartitionText {
  private static final String WHAT = "partition";
  private static final Set<String> PLAIN =
      Set.of("identity", "year", "month", "day", "hour", "void");

  private final Schema schema;
  private final TextScanner in;
  private final PartitionSpec.Builder spec;

  private PartitionText(String text, Schema schema) {
    this.schema = schema;
    this.in = new TextScanner(WHAT, text);
    this.spec = PartitionSpec.builderFor(schema);
  }

  /// Reads a partition list.
  ///
  /// @throws IcewalException INVALID naming the place, the column, or the type that has no such
  ///   transform
  public static PartitionSpec spec(String text, Schema schema) {
    PartitionText partitions = new PartitionText(text, schema);
    do {
      partitions.field();
    } while (partitions.in.take(','));
    if (!partitions.in.atEnd()) {
      throw partitions.in.unexpected("',' or the end");
    }
    try {
      return partitions.spec.build();
    } catch (IllegalArgumentException | ValidationException e) {
      throw new IcewalException(ErrorKind.INVALID, WHAT + ": " + e.getMessage(), e);
    }
  }

  private void field() {
    String first = dotted();
    try {
      if (!in.take('(')) {
        spec.identity(column(first));
        return;
      }
      transform(first.toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException | ValidationException e) {
      throw new IcewalException(ErrorKind.INVALID, WHAT + ": " + e.getMessage(), e);
    }
    in.expect(')');
  }

  private void transform(String transform) {
    if (PLAIN.contains(transform)) {
      plain(transform, column(dotted()));
    } else if (transform.equals("bucket") || transform.equals("truncate")) {
      int number = in.number();
      in.expect(',');
      String column = column(dotted());
      if (transform.equals("bucket")) {
        spec.bucket(column, number);
      } else {
        spec.truncate(column, number);
      }
    } else {
      throw new IcewalException(
          ErrorKind.INVALID,
          WHAT
              + ": unknown transform '"
              + transform
              + "'; the transforms are identity, year, month, day, hour, bucket(n, column),"
              + " truncate(width, column), void");
    }
  }

  private void plain(String transform, String column) {
    switch (transform) {
      case "year" -> spec.year(column);
      case "month" -> spec.month(column);
      case "day" -> spec.day(column);
      case "hour" -> spec.hour(column);
      case "void" -> spec.alwaysNull(column);
      default -> spec.identity(column);
    }
  }

  private String dotted() {
    List<String> parts = new ArrayList<>();
    do {
      parts.add(in.name());
    } while (in.take('.'));
    return String.join(".", parts);
  }

  private String column(String name) {
    if (schema.findField(name) == null) {
      throw new IcewalException(
          ErrorKind.INVALID, ColumnText.noSuchColumn(WHAT, name, schema.columns()));
    }
    return name;
  }
}
