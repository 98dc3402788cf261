package io.icewal.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Verdicts as they stand in answers and errors.
final class VerdictJson {
  private VerdictJson() {}

  static ArrayNode write(List<Verdict> verdicts) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (Verdict verdict : verdicts) {
      array.add(write(verdict));
    }
    return array;
  }

  static ObjectNode write(Verdict verdict) {
    return Json.object()
        .put("row", verdict.row())
        .put("column", Texts.wellFormed(verdict.column()))
        .put("rule", verdict.rule())
        .put("value", verdict.value() == null ? null : Texts.wellFormed(verdict.value()))
        .put("message", Texts.wellFormed(verdict.message()));
  }

  static List<Verdict> readAll(@Nullable JsonNode array) {
    List<Verdict> verdicts = new ArrayList<>();
    if (array != null) {
      for (JsonNode verdict : array) {
        verdicts.add(read(verdict));
      }
    }
    return verdicts;
  }

  private static Verdict read(JsonNode verdict) {
    JsonNode value = verdict.path("value");
    return new Verdict(
        verdict.path("row").asLong(-1),
        verdict.path("column").asText(""),
        verdict.path("rule").asText(""),
        value.isTextual() ? value.textValue() : null,
        verdict.path("message").asText(""));
  }
}
