package io.icewal.cli.schema;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.icewal.cli.json.IsoTimes;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// What the values of one place in a sample of JSON rows have been so far. Not thread-safe.
final class Shape {
  private enum Kind {
    BOOLEAN,
    LONG,
    DOUBLE,
    DATE,
    TIMESTAMPTZ,
    TIMESTAMP,
    STRING,
    OBJECT,
    ARRAY
  }

  private final String path;
  private final Map<String, Shape> fields = new LinkedHashMap<>();
  private @Nullable Kind kind;
  private @Nullable Shape element;

  Shape(String path) {
    this.path = path;
  }

  /// Takes in the value whose first token is current.
  void read(JsonParser in, String where) throws IOException {
    JsonToken token = in.currentToken();
    if (token == JsonToken.VALUE_NULL) {
      return;
    }
    kind = merge(kind, kindOf(in), where);
    if (token == JsonToken.START_OBJECT) {
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        Shape field =
            fields.computeIfAbsent(name, n -> new Shape(path.isEmpty() ? n : path + "." + n));
        in.nextToken();
        field.read(in, where);
      }
    } else if (token == JsonToken.START_ARRAY) {
      Shape inner = element == null ? new Shape(path + ".element") : element;
      element = inner;
      while (in.nextToken() != JsonToken.END_ARRAY) {
        inner.read(in, where);
      }
    }
  }

  Types.StructType structType(int[] nextId) {
    List<NestedField> columns = new ArrayList<>();
    for (Map.Entry<String, Shape> field : fields.entrySet()) {
      int id = nextId[0]++;
      columns.add(NestedField.optional(id, field.getKey(), field.getValue().type(nextId)));
    }
    return Types.StructType.of(columns);
  }

  private Type type(int[] nextId) {
    if (kind == null) {
      return Types.StringType.get();
    }
    return switch (kind) {
      case BOOLEAN -> Types.BooleanType.get();
      case LONG -> Types.LongType.get();
      case DOUBLE -> Types.DoubleType.get();
      case DATE -> Types.DateType.get();
      case TIMESTAMPTZ -> Types.TimestampType.withZone();
      case TIMESTAMP -> Types.TimestampType.withoutZone();
      case STRING -> Types.StringType.get();
      case OBJECT -> structType(nextId);
      case ARRAY -> {
        int id = nextId[0]++;
        Type inner = element == null ? Types.StringType.get() : element.type(nextId);
        yield Types.ListType.ofOptional(id, inner);
      }
    };
  }

  private Kind merge(@Nullable Kind before, Kind now, String where) {
    if (before == null || before == now) {
      return now;
    }
    if (isNumber(before) && isNumber(now)) {
      return Kind.DOUBLE;
    }
    if (isText(before) && isText(now)) {
      return Kind.STRING;
    }
    throw new IcewalException(
        ErrorKind.INVALID,
        where
            + ": column '"
            + path
            + "' is "
            + before
            + " above and "
            + now
            + " here; say what it is with --columns");
  }

  private static boolean isNumber(Kind kind) {
    return kind == Kind.LONG || kind == Kind.DOUBLE;
  }

  private static boolean isText(Kind kind) {
    return kind == Kind.DATE
        || kind == Kind.TIMESTAMP
        || kind == Kind.TIMESTAMPTZ
        || kind == Kind.STRING;
  }

  private static Kind kindOf(JsonParser in) throws IOException {
    return switch (in.currentToken()) {
      case VALUE_TRUE, VALUE_FALSE -> Kind.BOOLEAN;
      case VALUE_NUMBER_INT ->
          in.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? Kind.DOUBLE : Kind.LONG;
      case VALUE_NUMBER_FLOAT -> Kind.DOUBLE;
      case START_OBJECT -> Kind.OBJECT;
      case START_ARRAY -> Kind.ARRAY;
      default -> textKind(in.getText());
    };
  }

  private static Kind textKind(String text) {
    if (text.length() < 10 || text.length() > 40 || text.charAt(4) != '-') {
      return Kind.STRING;
    }
    if (text.length() == 10) {
      return parses(() -> IsoTimes.days(text)) ? Kind.DATE : Kind.STRING;
    }
    if (parses(() -> IsoTimes.timestampMicros(text, IsoTimes.Zone.REQUIRED))) {
      return Kind.TIMESTAMPTZ;
    }
    boolean plain = parses(() -> IsoTimes.timestampMicros(text, IsoTimes.Zone.FORBIDDEN));
    return plain ? Kind.TIMESTAMP : Kind.STRING;
  }

  private static boolean parses(Runnable parse) {
    try {
      parse.run();
      return true;
    } catch (DateTimeException | ArithmeticException e) {
      return false;
    }
  }
}
