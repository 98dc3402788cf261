package io.icewal.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/// Prints one JSON value on one line, for scripts.
final class JsonOut {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JsonOut() {}

  static void print(Terminal terminal, JsonNode value) {
    try {
      terminal.out().println(MAPPER.writeValueAsString(value));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree cannot be written", e);
    }
  }
}
