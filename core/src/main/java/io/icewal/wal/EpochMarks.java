package io.icewal.wal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.storage.ByteRange;
import io.icewal.storage.StoredBytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// How far streams have written into tables: of each stream and table the newest epoch, in an
/// object that is never removed. Thread-safe.
///
/// The log itself knows what it holds of a producer, but forgets producers that were idle for a
/// day; streams are stopped for longer. So an epoch is marked before it is published and again
/// after. Between the two marks only the log can tell, as long as it remembers ([#isRemembered]).
public final class EpochMarks {
  /// The log is asked long before it forgets: publishing takes its time, too.
  private static final Duration MARGIN = Duration.ofHours(1);

  private static final String EPOCH = "epoch";
  private static final String PUBLISHED = "published";
  private static final ObjectMapper JSON = new ObjectMapper();

  /// The newest epoch of a stream in a table.
  ///
  /// @param epoch counted by the stream; all before it are published, or had no rows
  /// @param isPublished whether it is known to be in the log
  /// @param time when this was stored, by the store's clock
  public record Mark(long epoch, boolean isPublished, Instant time) {}

  private final LogRoot root;
  private final LogReader reader;

  /// @param reader of the log whose tables are asked about
  public EpochMarks(LogRoot root, LogReader reader) {
    this.root = root;
    this.reader = reader;
  }

  /// @throws IcewalException CORRUPT if the mark cannot be read
  public Optional<Mark> find(UUID tableId, UUID stream) {
    String key = key(tableId, stream);
    return root.store().get(key, ByteRange.ALL).map(stored -> decode(key, stored));
  }

  /// Before an epoch is published.
  public void begin(UUID tableId, UUID stream, long epoch) {
    put(tableId, stream, epoch, /* isPublished= */ false);
  }

  /// Once an epoch is in the log.
  public void published(UUID tableId, UUID stream, long epoch) {
    put(tableId, stream, epoch, /* isPublished= */ true);
  }

  /// Whether the log surely knows every batch that was appended after a mark was stored, for as
  /// long as an append takes. What it forgets goes by the time of its newest trimmed segment, which
  /// may come to the present in one round at any moment: so the present counts, by the store's
  /// clock.
  public boolean isRemembered(Mark mark) {
    Instant forgotten = mark.time().plus(TrimLimits.DEFAULTS.producerIdle()).minus(MARGIN);
    return StoreClock.now(root.store(), reader.log()).isBefore(forgotten);
  }

  /// The key of a mark below the log root.
  public String key(UUID tableId, UUID stream) {
    return Paths.stream(reader.log(), tableId, stream);
  }

  private void put(UUID tableId, UUID stream, long epoch, boolean isPublished) {
    String text = JSON.createObjectNode().put(EPOCH, epoch).put(PUBLISHED, isPublished).toString();
    root.store().put(key(tableId, stream), text.getBytes(StandardCharsets.UTF_8));
  }

  private static Mark decode(String key, StoredBytes stored) {
    try {
      JsonNode json = JSON.readTree(stored.bytes());
      if (json.path(EPOCH).canConvertToLong() && json.path(PUBLISHED).isBoolean()) {
        return new Mark(
            json.path(EPOCH).asLong(),
            json.path(PUBLISHED).asBoolean(),
            stored.meta().lastModified());
      }
      throw unreadable(key, stored, null);
    } catch (IOException e) {
      throw unreadable(key, stored, e);
    }
  }

  private static IcewalException unreadable(
      String key, StoredBytes stored, @Nullable IOException cause) {
    return new IcewalException(
        ErrorKind.CORRUPT,
        key
            + " is '"
            + new String(stored.bytes(), StandardCharsets.UTF_8)
            + "', expected {\"epoch\":n,\"published\":true or false}",
        cause);
  }
}
