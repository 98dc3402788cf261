package io.icewal.protocol;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/// Reads and writes the protocol's JSON. Strict: a repeated member, trailing text or an unknown
/// member is an error, so that a misspelt option is never silently without effect.
public final class Json {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private Json() {}

  /// A new object to fill.
  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /// The members of a JSON object.
  ///
  /// @param what what the text is, for messages, such as `put descriptor`
  /// @throws IcewalException INVALID if the text is not one JSON object
  public static JsonMembers read(String what, byte[] text) {
    try {
      JsonNode node = MAPPER.readTree(text);
      if (node instanceof ObjectNode object) {
        return new JsonMembers(what, object);
      }
      throw new IcewalException(
          ErrorKind.INVALID, what + " must be a JSON object, got " + excerpt(text));
    } catch (IOException e) {
      throw new IcewalException(
          ErrorKind.INVALID, what + " is not valid JSON: " + excerpt(text), e);
    }
  }

  /// A JSON value as UTF-8 text.
  public static byte[] write(JsonNode value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot write as JSON: " + value, e);
    }
  }

  /// The JSON of a text that is known to be JSON, such as the output of another writer.
  public static JsonNode parse(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + text, e);
    }
  }

  /// A table's name as an array: the namespace's levels, then the table.
  public static ArrayNode table(TableIdentifier table) {
    ArrayNode names = JsonNodeFactory.instance.arrayNode();
    for (String level : table.namespace().levels()) {
      names.add(level);
    }
    return names.add(table.name());
  }

  /// The table of a path or of a `table` member.
  ///
  /// @throws IcewalException INVALID for fewer than two names, an empty one, or a namespace's level
  ///   with a dot
  public static TableIdentifier table(List<String> names) {
    if (names.size() < 2 || names.stream().anyMatch(String::isEmpty)) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "a table is named by its namespace and its own name, such as [\"db\", \"events\"], got "
              + names);
    }
    if (names.subList(0, names.size() - 1).stream().anyMatch(level -> level.contains("."))) {
      // Iceberg's JDBC catalog joins levels with dots and takes ["a.b"] and ["a", "b"] for one.
      throw new IcewalException(
          ErrorKind.INVALID, "a namespace must not have a dot in one of its levels, got " + names);
    }
    String[] levels = names.subList(0, names.size() - 1).toArray(new String[0]);
    return TableIdentifier.of(Namespace.of(levels), names.get(names.size() - 1));
  }

  private static String excerpt(byte[] text) {
    int shown = Math.min(text.length, 100);
    return "'" + new String(Arrays.copyOf(text, shown), StandardCharsets.UTF_8) + "'";
  }
}
