package io.icewal.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.ErrorKind;
import io.icewal.model.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What is wrong with a whole call, as JSON in the trailer [#TRAILER] of its gRPC status (pyarrow
/// shows it as the exception's `extra_info`).
///
/// @param kind what the caller should do
/// @param message one sentence
/// @param retryAfterMillis how long to wait before a retry; 0: not said
/// @param verdicts what is wrong in particular, such as each unknown column
public record ErrorBody(
    ErrorKind kind, String message, long retryAfterMillis, List<Verdict> verdicts) {
  /// The key of the trailer. Arrow's C++ library, and so pyarrow, hands its bytes on as they are.
  public static final String TRAILER = "grpc-status-details-bin";

  /// Trailers beyond 8 KiB are refused by some clients (after base64, so 6,000 bytes in all).
  private static final int JSON_BYTES_MAX = 4_000;

  private static final int MESSAGE_BYTES_MAX = 1_500;

  public ErrorBody {
    message = Texts.wellFormed(message);
    verdicts = List.copyOf(verdicts);
  }

  /// The JSON; verdicts that do not fit are counted in `more`.
  public byte[] toJson() {
    ObjectNode object = Json.object();
    object.put("status", "error");
    object.put("kind", kind.name().toLowerCase(Locale.ROOT));
    object.put("message", Texts.cut(message, MESSAGE_BYTES_MAX));
    object.put("rows", 0);
    object.putNull("position");
    if (retryAfterMillis > 0) {
      object.put("retry_after_ms", retryAfterMillis);
    }
    ArrayNode named = object.putArray("verdicts");
    object.put("more", verdicts.size());
    int bytes = Json.write(object).length;
    for (Verdict verdict : verdicts) {
      ObjectNode next = VerdictJson.write(verdict);
      bytes += Json.write(next).length + 1;
      if (bytes > JSON_BYTES_MAX) {
        break;
      }
      named.add(next);
    }
    object.put("more", verdicts.size() - named.size());
    return Json.write(object);
  }

  /// Reads the trailer of a failed call; null if it is not one of ours.
  public static @Nullable ErrorBody parse(byte[] text) {
    try {
      JsonNode object = Json.parse(new String(text, StandardCharsets.UTF_8));
      return new ErrorBody(
          ErrorKind.valueOf(object.path("kind").asText("").toUpperCase(Locale.ROOT)),
          object.path("message").asText(""),
          object.path("retry_after_ms").asLong(0),
          VerdictJson.readAll(object.path("verdicts")));
    } catch (IllegalArgumentException e) {
      return null; // Another program's details: they are not ours to read.
    }
  }
}
