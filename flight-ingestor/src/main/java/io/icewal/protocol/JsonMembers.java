package io.icewal.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/// The members of one JSON object, read one by one; [#end] refuses those that nobody asked for. A
/// member whose value is null counts as absent.
public final class JsonMembers {
  private final String what;
  private final ObjectNode object;
  private final Set<String> known = new LinkedHashSet<>();

  JsonMembers(String what, ObjectNode object) {
    this.what = what;
    this.object = object;
  }

  /// The member's value as it is, or null if it is absent.
  public @Nullable JsonNode value(String name) {
    known.add(name);
    JsonNode value = object.get(name);
    return value == null || value.isNull() ? null : value;
  }

  /// The member's value.
  ///
  /// @throws IcewalException INVALID if it is absent
  public JsonNode required(String name) {
    JsonNode value = value(name);
    if (value == null) {
      throw new IcewalException(ErrorKind.INVALID, what + " needs member '" + name + "'");
    }
    return value;
  }

  public @Nullable String text(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!isText(value)) {
      throw wrong(name, "a string", value);
    }
    return value.textValue();
  }

  /// JSON can spell half a surrogate pair, which is no text: it could not be stored as it is.
  private static boolean isText(JsonNode value) {
    return value.isTextual() && Texts.isWellFormed(value.textValue());
  }

  /// A whole number of at least 0.
  public @Nullable Long count(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isIntegralNumber() || !value.canConvertToLong() || value.longValue() < 0) {
      throw wrong(name, "a whole number from 0", value);
    }
    return value.longValue();
  }

  public boolean flag(String name, boolean absent) {
    JsonNode value = value(name);
    if (value != null && !value.isBoolean()) {
      throw wrong(name, "true or false", value);
    }
    return value == null ? absent : value.booleanValue();
  }

  public @Nullable List<String> texts(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode element : value) {
      if (!isText(element)) {
        throw wrong(name, "an array of strings", value);
      }
      texts.add(element.textValue());
    }
    if (!value.isArray()) {
      throw wrong(name, "an array of strings", value);
    }
    return texts;
  }

  /// The table that the member `table` names.
  ///
  /// @throws IcewalException INVALID if it is absent
  public TableIdentifier table() {
    TableIdentifier table = tableOrNull();
    if (table == null) {
      throw new IcewalException(
          ErrorKind.INVALID, what + " needs member 'table', such as [\"db\", \"events\"]");
    }
    return table;
  }

  public @Nullable TableIdentifier tableOrNull() {
    List<String> names = texts("table");
    return names == null ? null : Json.table(names);
  }

  /// One of a few words, as an enum whose constants are the words in capitals.
  public <E extends Enum<E>> @Nullable E word(String name, Class<E> words) {
    String text = text(name);
    if (text == null) {
      return null;
    }
    List<String> possible = new ArrayList<>();
    for (E word : words.getEnumConstants()) {
      String spelled = word.name().toLowerCase(Locale.ROOT);
      if (spelled.equals(text)) {
        return word;
      }
      possible.add(spelled);
    }
    throw new IcewalException(
        ErrorKind.INVALID,
        "member '" + name + "' of " + what + " is '" + text + "'; expected one of " + possible);
  }

  /// To be called when all members were asked for.
  ///
  /// @throws IcewalException INVALID if there are others
  public void end() {
    object
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!known.contains(name)) {
                throw new IcewalException(
                    ErrorKind.INVALID,
                    "unknown member '" + name + "' in " + what + "; it knows " + known);
              }
            });
  }

  private IcewalException wrong(String name, String expected, JsonNode value) {
    String seen = value.toString();
    String cut = seen.length() > 100 ? seen.substring(0, 100) + "…" : seen;
    return new IcewalException(
        ErrorKind.INVALID,
        "member '" + name + "' of " + what + " must be " + expected + ", got " + cut);
  }
}
