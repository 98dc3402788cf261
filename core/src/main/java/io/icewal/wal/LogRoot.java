package io.icewal.wal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.LogName;
import io.icewal.model.Position;
import io.icewal.storage.ByteRange;
import io.icewal.storage.ObjectStore;
import io.icewal.storage.StoredBytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The place of a warehouse's logs, as `log.json` describes it. Immutable; does not own the store.
public final class LogRoot {
  /// The most logs that a root may have.
  public static final int LOGS_MAX = 1024;

  static final int FORMAT_VERSION = 1;
  private static final int GENERATION = 1;
  private static final int OPEN_ATTEMPTS_MAX = 5;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ObjectStore store;
  private final UUID root;
  private final int logs;

  private LogRoot(ObjectStore store, UUID root, int logs) {
    this.store = store;
    this.root = root;
    this.logs = logs;
  }

  /// Opens the log root of a store, and makes it if there is none. Any number of processes may do
  /// so at once: all get the same root.
  ///
  /// @param logsIfNew the number of logs of a new root
  /// @throws IcewalException CORRUPT if it has an unknown format version or is damaged; UNAVAILABLE
  ///   if it could not be made
  public static LogRoot openOrCreate(ObjectStore store, int logsIfNew, RandomGenerator random) {
    if (logsIfNew < 1 || logsIfNew > LOGS_MAX) {
      throw new IllegalArgumentException("logs must be 1 to " + LOGS_MAX + ", got " + logsIfNew);
    }
    byte[] bytes = encode(Ids.random(random), logsIfNew);
    for (int attempt = 0; attempt < OPEN_ATTEMPTS_MAX; attempt++) {
      Optional<LogRoot> existing = open(store);
      if (existing.isPresent()) {
        return existing.get();
      }
      store.putIfAbsent(Paths.LOG_JSON, List.of(bytes));
    }
    return open(store)
        .orElseThrow(
            () ->
                new IcewalException(
                    ErrorKind.UNAVAILABLE,
                    "could not create " + Paths.LOG_JSON + " in " + store.describe()));
  }

  /// Opens the log root of a store, if it has one.
  public static Optional<LogRoot> open(ObjectStore store) {
    return store.get(Paths.LOG_JSON, ByteRange.ALL).map(stored -> decode(store, stored));
  }

  /// The root's UUID, which every position names.
  public UUID root() {
    return root;
  }

  public int generation() {
    return GENERATION;
  }

  /// The number of logs.
  public int logs() {
    return logs;
  }

  public LogName log(int index) {
    if (index < 0 || index >= logs) {
      throw new IllegalArgumentException("log " + index + " of " + logs);
    }
    return new LogName(root, GENERATION, index);
  }

  /// All logs.
  public List<LogName> all() {
    return IntStream.range(0, logs).mapToObj(this::log).toList();
  }

  /// The log that a table belongs to, for ever: by a hash of its UUID.
  public LogName logOf(UUID tableId) {
    long mixed = tableId.getMostSignificantBits() ^ tableId.getLeastSignificantBits();
    mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return log((int) Math.floorMod(mixed ^ (mixed >>> 33), (long) logs));
  }

  /// Refuses a position of another root, generation or number of logs.
  ///
  /// @throws IcewalException INVALID
  public void checkOwn(Position position) {
    LogName log = position.log();
    if (!log.root().equals(root) || log.generation() != GENERATION || log.log() >= logs) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "position "
              + position
              + " is of another log: this root is "
              + root
              + ", generation "
              + GENERATION
              + ", with "
              + logs
              + " logs, in "
              + store.describe());
    }
  }

  public ObjectStore store() {
    return store;
  }

  private static byte[] encode(UUID root, int logs) {
    String text =
        JSON.createObjectNode()
                .put("format-version", FORMAT_VERSION)
                .put("root", root.toString())
                .put("logs", logs)
                .toString()
            + "\n";
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static LogRoot decode(ObjectStore store, StoredBytes stored) {
    JsonNode json = parse(store, stored.bytes());
    int version = json.path("format-version").asInt(-1);
    if (version != FORMAT_VERSION) {
      throw corrupt(store, "has format version " + version + ", known is " + FORMAT_VERSION, null);
    }
    int logs = json.path("logs").asInt(-1);
    if (logs < 1 || logs > LOGS_MAX) {
      throw corrupt(store, "has " + logs + " logs, expected 1 to " + LOGS_MAX, null);
    }
    try {
      return new LogRoot(store, UUID.fromString(json.path("root").asText()), logs);
    } catch (IllegalArgumentException e) {
      throw corrupt(store, "has a root that is not a UUID: " + json.path("root"), e);
    }
  }

  private static JsonNode parse(ObjectStore store, byte[] bytes) {
    try {
      return JSON.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw corrupt(store, "is not JSON", e);
    } catch (IOException e) {
      throw corrupt(store, "cannot be read", e);
    }
  }

  private static IcewalException corrupt(
      ObjectStore store, String what, @Nullable Throwable cause) {
    return new IcewalException(
        ErrorKind.CORRUPT, Paths.LOG_JSON + " in " + store.describe() + " " + what, cause);
  }
}
