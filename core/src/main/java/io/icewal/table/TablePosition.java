package io.icewal.table;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/// How far a table has taken its log, as its property [#PROPERTY] says.
///
/// Properties outlive what they speak of: another engine's REPLACE keeps them, and people copy them
/// from table to table. So the property also names the table, the key, and the sequence number that
/// the table had when it was written, and is valid only while these fit ([#valid]).
///
/// The text form is `POSITION;table=UUID;sequence=N;key=ID,ID`.
///
/// @param position everything up to here is in the table
/// @param tableId the table that the property was written for
/// @param sequence the sequence number of the snapshot that was committed with it
/// @param key the field ids of the primary key, ascending, comma separated; empty if there is none
public record TablePosition(Position position, UUID tableId, long sequence, String key) {
  /// Name of the table property.
  public static final String PROPERTY = "icewal.position";

  /// Name of the entry in a snapshot's summary: for people, never read.
  public static final String SUMMARY = "icewal.position";

  /// A table's position for its current schema.
  static TablePosition of(Position position, TableMetadata metadata, long sequence) {
    return new TablePosition(
        position,
        UUID.fromString(metadata.uuid()),
        sequence,
        key(metadata.schema().identifierFieldIds()));
  }

  /// What the property says, whether it is valid or not; empty if the table has none.
  ///
  /// @throws IcewalException CORRUPT if the property cannot be read
  public static Optional<TablePosition> read(Table table) {
    return read(metadata(table));
  }

  /// As [#read(Table)].
  public static Optional<TablePosition> read(TableMetadata metadata) {
    String text = metadata.property(PROPERTY, null);
    return text == null ? Optional.empty() : Optional.of(parse(text));
  }

  /// The position, if it says the truth about the table as it is.
  public static Optional<TablePosition> valid(Table table) {
    return valid(metadata(table));
  }

  /// As [#valid(Table)].
  public static Optional<TablePosition> valid(TableMetadata metadata) {
    return isReplaced(metadata) ? Optional.empty() : read(metadata);
  }

  /// Whether the table is no longer, or never was, the one that a position was stored for: ingest
  /// is refused and its tail no longer read until it is adopted (again).
  public static boolean isReplaced(Table table) {
    return isReplaced(metadata(table));
  }

  /// As [#isReplaced(Table)].
  public static boolean isReplaced(TableMetadata metadata) {
    return whyReplaced(metadata) != null;
  }

  /// As [#whyReplaced(TableMetadata)].
  public static @Nullable String whyReplaced(Table table) {
    return whyReplaced(metadata(table));
  }

  /// Why the table counts as replaced; null if it does not.
  public static @Nullable String whyReplaced(TableMetadata metadata) {
    Optional<TablePosition> read = read(metadata);
    if (read.isEmpty()) {
      return "it has no property " + PROPERTY;
    }
    TablePosition stored = read.get();
    if (!stored.tableId.toString().equals(metadata.uuid())) {
      return "its property " + PROPERTY + " is a copy from table " + stored.tableId;
    }
    String key = key(metadata.schema().identifierFieldIds());
    if (!stored.key.equals(key)) {
      return "its key was changed from fields [" + stored.key + "] to [" + key + "]";
    }
    Snapshot current = metadata.currentSnapshot();
    if (current == null) {
      return "its branch main is empty";
    }
    Snapshot root = root(metadata, current);
    if (root != null && root.sequenceNumber() > stored.sequence) {
      return "its history begins at sequence number "
          + root.sequenceNumber()
          + ", after the "
          + stored.sequence
          + " at which its position was stored";
    }
    return null;
  }

  /// The snapshot with which main's history begins; empty once it has expired. Whoever has seen the
  /// table's history begin with another one, or has seen it after its beginning had expired, has
  /// seen another table under its name.
  public static Optional<Snapshot> beginning(Table table) {
    TableMetadata metadata = metadata(table);
    Snapshot current = metadata.currentSnapshot();
    return current == null ? Optional.empty() : Optional.ofNullable(root(metadata, current));
  }

  /// The parentless first snapshot of main's history; null once it has expired.
  private static @Nullable Snapshot root(TableMetadata metadata, Snapshot current) {
    Snapshot snapshot = current;
    while (snapshot != null && snapshot.parentId() != null) {
      snapshot = metadata.snapshot(snapshot.parentId());
    }
    return snapshot;
  }

  /// Reads the text form: the value of the property.
  ///
  /// @throws IcewalException CORRUPT if it cannot be read
  public static TablePosition parse(String text) {
    String[] parts = text.split(";", -1);
    try {
      if (parts.length == 4) {
        return new TablePosition(
            Position.parse(parts[0]),
            UUID.fromString(value(parts[1], "table=")),
            Long.parseLong(value(parts[2], "sequence=")),
            value(parts[3], "key="));
      }
    } catch (IllegalArgumentException | IcewalException e) {
      throw new IcewalException(ErrorKind.CORRUPT, unreadable(text), e);
    }
    throw new IcewalException(ErrorKind.CORRUPT, unreadable(text));
  }

  private static String value(String part, String name) {
    if (!part.startsWith(name)) {
      throw new IllegalArgumentException("expected " + name + ", got '" + part + "'");
    }
    return part.substring(name.length());
  }

  private static String unreadable(String text) {
    return "table property "
        + PROPERTY
        + " is '"
        + text
        + "'; expected root-uuid/generation/log/number;table=uuid;sequence=n;key=ids";
  }

  private static String key(Collection<Integer> fieldIds) {
    return new TreeSet<>(fieldIds).stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  static TableMetadata metadata(Table table) {
    return ((HasTableOperations) table).operations().current();
  }

  @Override
  public String toString() {
    return position + ";table=" + tableId + ";sequence=" + sequence + ";key=" + key;
  }
}
