package io.icewal.expression;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// Finds the columns that a condition names. A name matches exactly or, if it is unquoted and no
/// exact match exists, without regard to case if only one column does.
final class Columns {
  /// Longer names are not compared for likeness.
  private static final int LIKENESS_CHARS_MAX = 64;

  private final Schema schema;

  Columns(Schema schema) {
    this.schema = schema;
  }

  /// @param parts the parts of a dotted name, the first one naming a top-level column
  Column resolve(List<Token> parts) {
    List<Integer> path = new ArrayList<>();
    List<NestedField> level = schema.columns();
    NestedField field = null;
    for (Token part : parts) {
      if (field != null) {
        level = children(field, part);
      }
      field = find(level, part);
      if (field == null) {
        throw Refusal.of(part.start(), unknown(parts, part, level));
      }
      path.add(field.fieldId());
    }
    if (field == null) {
      throw new IllegalArgumentException("a column without name");
    }
    String name = schema.findColumnName(field.fieldId());
    return new Column(
        name == null ? field.name() : name, List.copyOf(path), field.type(), field.isOptional());
  }

  private static List<NestedField> children(NestedField field, Token part) {
    if (field.type() instanceof Types.StructType struct) {
      return struct.fields();
    }
    throw Refusal.of(
        part.start(),
        "column '"
            + field.name()
            + "' of type "
            + shortType(field.type())
            + " has no fields, saw '"
            + field.name()
            + "."
            + part.name()
            + "'");
  }

  static String shortType(Type type) {
    return type.isPrimitiveType() ? type.toString() : type.typeId().name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable NestedField find(Collection<NestedField> level, Token part) {
    NestedField similar = null;
    int similars = 0;
    for (NestedField field : level) {
      if (field.name().equals(part.name())) {
        return field;
      }
      if (part.kind() == Token.Kind.WORD && field.name().equalsIgnoreCase(part.name())) {
        similar = field;
        similars++;
      }
    }
    return similars == 1 ? similar : null;
  }

  private String unknown(List<Token> parts, Token part, List<NestedField> level) {
    String dotted = String.join(".", parts.stream().map(Token::name).toList());
    if (parts.size() > 1 && schema.findField(dotted) != null) {
      return "there is no column '"
          + part.name()
          + "'; one is named '"
          + dotted
          + "', write it as \""
          + dotted
          + "\"";
    }
    String message = "there is no column '" + dotted + "'";
    String nearest = nearest(part.name(), level);
    if (nearest == null && parts.size() == 1 && part.text().startsWith("\"")) {
      return message + "; a text stands in single quotes";
    }
    return nearest == null ? message : message + "; did you mean '" + nearest + "'?";
  }

  private static @Nullable String nearest(String name, List<NestedField> level) {
    String best = null;
    int bestDistance = Math.max(2, name.length() / 2) + 1;
    for (NestedField field : level) {
      if (Math.max(name.length(), field.name().length()) <= LIKENESS_CHARS_MAX) {
        int distance =
            distance(name.toLowerCase(Locale.ROOT), field.name().toLowerCase(Locale.ROOT));
        if (distance < bestDistance) {
          bestDistance = distance;
          best = field.name();
        }
      }
    }
    return best;
  }

  /// How many characters must be changed, added or removed.
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    Arrays.setAll(row, i -> i);
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
