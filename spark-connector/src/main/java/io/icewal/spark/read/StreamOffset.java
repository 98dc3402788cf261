package io.icewal.spark.read;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import java.util.UUID;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.jspecify.annotations.Nullable;

/// How far a stream has read a table; kept by Spark, as JSON, in the stream's checkpoint.
/// Immutable.
///
/// A stream begins with where it is to start; Spark does not keep that, so the first batch says
/// what it came to. Then it is within the contents of a cut, or at a position of the log.
final class StreamOffset extends Offset {
  private static final String START = "start";
  private static final String TABLE = "table";
  private static final String POSITION = "position";
  private static final String SEQUENCE = "sequence";
  private static final String BEGINNING = "beginning";
  private static final String SNAPSHOT = "snapshot";
  private static final String FROM = "from";
  private static final String PARTS = "parts";
  private static final String PARTS_ALL = "partsAll";
  private static final ObjectMapper JSON = new ObjectMapper();

  /// How much of a cut was read: its parts are the files of the snapshot, in the order of their
  /// names, and then the tail.
  ///
  /// @param snapshot the cut's
  /// @param from where the tail is read from: its first block comes right after
  /// @param parts so many of them
  /// @param partsAll how many there are
  record Contents(long snapshot, Position from, int parts, int partsAll) {
    boolean areRead() {
      return parts == partsAll;
    }
  }

  /// How the table was when it was looked at, by which another one in its place is told.
  ///
  /// @param sequence its last sequence number
  /// @param beginning the snapshot with which its history begins; [#EXPIRED] if that has expired
  record Seen(long sequence, long beginning) {
    static final long EXPIRED = -1;
  }

  /// @param tableId the table's Iceberg UUID
  /// @param position of the log, up to which all is read, once the contents are
  /// @param contents what was read of the cut that ends at the position; null once the log is read
  record At(UUID tableId, Position position, Seen seen, @Nullable Contents contents) {
    /// Whether it comes before the end of the contents.
    boolean isInContents() {
      return contents != null && !contents.areRead();
    }
  }

  private final @Nullable String start;
  private final @Nullable At at;

  private StreamOffset(@Nullable String start, @Nullable At at) {
    this.start = start;
    this.at = at;
  }

  /// Before anything is read.
  static StreamOffset start(String start) {
    return new StreamOffset(start, null);
  }

  static StreamOffset at(At at) {
    return new StreamOffset(null, at);
  }

  /// Where the stream is; null before its first batch.
  @Nullable At at() {
    return at;
  }

  @Override
  public String json() {
    ObjectNode json = JSON.createObjectNode();
    if (at == null) {
      return json.put(START, start).toString();
    }
    json.put(TABLE, at.tableId().toString())
        .put(POSITION, at.position().toString())
        .put(SEQUENCE, at.seen().sequence())
        .put(BEGINNING, at.seen().beginning());
    Contents contents = at.contents();
    if (contents != null) {
      json.put(SNAPSHOT, contents.snapshot())
          .put(FROM, contents.from().toString())
          .put(PARTS, contents.parts())
          .put(PARTS_ALL, contents.partsAll());
    }
    return json.toString();
  }

  /// Reads the form of [#json].
  ///
  /// @throws IcewalException INVALID if it is none
  static StreamOffset parse(String text) {
    try {
      JsonNode json = JSON.readTree(text);
      if (json.path(START).isTextual()) {
        return start(json.path(START).asText());
      }
      Contents contents =
          json.has(SNAPSHOT)
              ? new Contents(
                  number(json, SNAPSHOT),
                  Position.parse(json.path(FROM).asText()),
                  count(json, PARTS),
                  count(json, PARTS_ALL))
              : null;
      return at(
          new At(
              UUID.fromString(json.path(TABLE).asText()),
              Position.parse(json.path(POSITION).asText()),
              new Seen(number(json, SEQUENCE), number(json, BEGINNING)),
              contents));
    } catch (JsonProcessingException | IllegalArgumentException | IcewalException e) {
      throw new IcewalException(
          ErrorKind.INVALID, "'" + text + "' is no offset of a stream of icewal", e);
    }
  }

  private static long number(JsonNode json, String name) {
    if (!json.path(name).canConvertToLong()) {
      throw new IllegalArgumentException(name + " is no number");
    }
    return json.path(name).asLong();
  }

  private static int count(JsonNode json, String name) {
    return Math.toIntExact(number(json, name));
  }
}
