package io.icewal.table;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.SerializationUtil;
import org.jspecify.annotations.Nullable;

/// Live rows that were found in files of one snapshot, as a bitmap for each file: at most about two
/// bytes a row, and a bit for each row of a file of which most were found. Used by one thread.
public final class FoundRows {
  /// Live rows of one file.
  ///
  /// @param file the file, with its deletes at that time
  /// @param deleted the rows that were already deleted; null if none
  /// @param rows what was found, at least one
  record InFile(LiveFile file, @Nullable PositionDeleteIndex deleted, PositionDeleteIndex rows) {
    /// Whether no row of the file is left once these are deleted.
    boolean isWholeFile() {
      long before = deleted == null ? 0 : deleted.cardinality();
      return before + rows.cardinality() == file.file().recordCount();
    }
  }

  /// Rows of one file in the form that travels: the content of a deletion vector.
  private record Sent(byte[] bytes, long count) implements Serializable {}

  private final Map<String, InFile> byFile = new LinkedHashMap<>();

  /// What was found by several.
  public static FoundRows all(List<FoundRows> parts) {
    if (parts.size() == 1) {
      return parts.get(0);
    }
    FoundRows all = new FoundRows();
    parts.forEach(all::add);
    return all;
  }

  /// What was found in each file.
  Iterable<InFile> files() {
    return byFile.values();
  }

  /// Adds rows; what they are keyed by, and their ids, stay behind.
  public void add(OldRows more) {
    for (OldRows.InFile found : more.withRows()) {
      PositionDeleteIndex rows = rows(found.file(), found.deleted());
      for (long row : found.rows()) {
        rows.delete(row);
      }
    }
  }

  /// Adds rows of the same snapshot.
  public void add(FoundRows more) {
    more.byFile.forEach(
        (location, found) -> rows(found.file(), found.deleted()).merge(found.rows()));
  }

  private PositionDeleteIndex rows(LiveFile file, @Nullable PositionDeleteIndex deleted) {
    return byFile
        .computeIfAbsent(file.location(), location -> new InFile(file, deleted, none()))
        .rows();
  }

  private static PositionDeleteIndex none() {
    return Deletes.toPositionIndex(CloseableIterable.empty());
  }

  /// Whether each file with rows is still live, with the same deletes.
  public boolean areIn(LiveFiles files) {
    return byFile.values().stream().allMatch(found -> files.has(found.file()));
  }

  /// How many rows were found.
  public long count() {
    return byFile.values().stream().mapToLong(found -> found.rows().cardinality()).sum();
  }

  /// The form that travels to another process.
  public byte[] toBytes() {
    HashMap<String, Sent> sent = new HashMap<>();
    byFile.forEach(
        (location, found) -> {
          ByteBuffer buffer = found.rows().serialize();
          byte[] bytes = new byte[buffer.remaining()];
          buffer.get(bytes);
          sent.put(location, new Sent(bytes, found.rows().cardinality()));
        });
    return SerializationUtil.serializeToBytes(sent);
  }

  /// Reads what other processes have found in files of one snapshot.
  public static final class Reader {
    private final LiveFiles files;
    private final DeleteLoader deletes;
    private final String tableName;

    /// Null values: files without deletes.
    private final Map<String, @Nullable PositionDeleteIndex> deleted = new HashMap<>();

    /// @param files the data files in which the rows were found
    public Reader(LiveFiles files, Table table) {
      this.files = files;
      this.deletes = new DeleteLoader(table);
      this.tableName = table.name();
    }

    /// @param bytes of [FoundRows#toBytes]
    public FoundRows read(byte[] bytes) {
      Map<String, Sent> sent = SerializationUtil.deserializeFromBytes(bytes);
      FoundRows found = new FoundRows();
      sent.forEach(
          (location, rows) -> {
            LiveFile file = files.find(location);
            if (file == null) {
              throw new IllegalStateException(
                  "rows were found in " + location + ", which is no live file of " + tableName);
            }
            // Merged, the indexes would keep the entries that were made up for each of them.
            decode(location, rows).forEach(found.rows(file, deleted(file))::delete);
          });
      return found;
    }

    /// Each file's deletes are loaded once, however many processes have found rows of it.
    private @Nullable PositionDeleteIndex deleted(LiveFile file) {
      if (!deleted.containsKey(file.location())) {
        deleted.put(file.location(), deletes.load(file));
      }
      return deleted.get(file.location());
    }

    /// Iceberg reads a vector by what its manifest entry says of it.
    private static PositionDeleteIndex decode(String location, Sent rows) {
      DeleteFile entry =
          FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
              .ofPositionDeletes()
              .withFormat(FileFormat.PUFFIN)
              .withPath("found rows of " + location)
              .withFileSizeInBytes(rows.bytes().length)
              .withReferencedDataFile(location)
              .withContentOffset(0)
              .withContentSizeInBytes(rows.bytes().length)
              .withRecordCount(rows.count())
              .build();
      return PositionDeleteIndex.deserialize(rows.bytes(), entry);
    }
  }
}
