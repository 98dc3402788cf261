package io.icewal.trino.read;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import io.icewal.model.IcewalException;
import io.icewal.read.FreshCut;
import io.icewal.read.KeySlice;
import io.icewal.table.LiveFile;
import io.icewal.table.LiveFiles;
import io.icewal.tail.TableAt;
import io.icewal.tail.Tail;
import io.icewal.trino.services.IcewalErrorCode;
import io.icewal.trino.services.Warehouse;
import io.trino.plugin.iceberg.IcebergTableHandle;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/// One table as a transaction reads it: a snapshot and the tail that belongs to it. Thread-safe.
///
/// The tail's keys and the snapshot's files are read when splits are planned: the files once, the
/// keys once for each range of them that is wanted.
public final class Pin {
  /// Ranges of keys whose cuts are kept; scans of further ones get the cut of all keys.
  private static final int RANGES_MAX = 8;

  private final Warehouse warehouse;
  private final Table table;
  private final IcebergTableHandle handle;
  private final @Nullable Tail tail;
  private final Map<KeyRange, FreshCut> cuts = new HashMap<>();
  private @Nullable LiveFiles files;

  /// @param table has the handle's snapshot; its own current one may be newer
  /// @param handle the table in the version that is read
  /// @param tail null if only the snapshot is read
  Pin(Warehouse warehouse, Table table, IcebergTableHandle handle, @Nullable Tail tail) {
    this.warehouse = warehouse;
    this.table = table;
    this.handle = handle;
    this.tail = tail;
  }

  /// The handle to read with.
  public IcebergTableHandle handle() {
    return handle;
  }

  public Table table() {
    return table;
  }

  public @Nullable Tail tail() {
    return tail;
  }

  /// Whether the table has a primary key.
  public boolean isKeyed() {
    return !SchemaParser.fromJson(handle.getTableSchemaJson()).identifierFieldIds().isEmpty();
  }

  /// Whether anything but the snapshot counts.
  boolean hasTail() {
    return tail != null && (tail.truncates() || tail.rows() > 0);
  }

  /// Whether rows of the tail may have columns or types that this version does not know: who wrote
  /// them anew would lose these.
  public boolean isOlderThanTail() {
    Tail read = tail;
    if (read == null) {
      return false;
    }
    TableAt<Table> known = TableAt.of(table, read.from());
    return read.blocks().stream().anyMatch(block -> known.isOlderThan(block.header()));
  }

  /// Columns that have had another type since the snapshot: promoted ones.
  Set<Integer> promoted() {
    OptionalLong snapshot = handle.getSnapshotId();
    if (snapshot.isEmpty()) {
      return Set.of();
    }
    Map<Integer, NestedField> before =
        TypeUtil.indexById(SnapshotUtil.schemaFor(table, snapshot.getAsLong()).asStruct());
    Set<Integer> promoted = new HashSet<>();
    TypeUtil.indexById(SchemaParser.fromJson(handle.getTableSchemaJson()).asStruct())
        .forEach(
            (id, column) -> {
              NestedField old = before.get(id);
              if (old != null
                  && column.type().isPrimitiveType()
                  && !column.type().equals(old.type())) {
                promoted.add(id);
              }
            });
    return promoted;
  }

  /// Rows in the tail, deletes counted too: an estimate of those that it adds.
  public long tailRows() {
    return tail == null ? 0 : tail.rows();
  }

  /// Whether no row of the snapshot counts any more. Reads nothing.
  boolean hidesAll() {
    return tail != null && tail.truncates();
  }

  /// The rows to add and the keys to hide for a scan. Reads keys of the tail at the first call for
  /// each range.
  ///
  /// @param wanted the keys that the scan wants
  synchronized FreshCut cut(KeyRange wanted) {
    FreshCut whole = cuts.get(KeyRange.ALL);
    if (whole != null) {
      return whole;
    }
    boolean isOneTooMany = cuts.size() == RANGES_MAX && !cuts.containsKey(wanted);
    return cuts.computeIfAbsent(isOneTooMany ? KeyRange.ALL : wanted, this::read);
  }

  private FreshCut read(KeyRange wanted) {
    if (tail == null) {
      throw new IllegalStateException("no tail of " + handle + " is read");
    }
    try {
      Schema schema = SchemaParser.fromJson(handle.getTableSchemaJson());
      return FreshCut.of(schema, table.specs(), tail, wanted, warehouse.allocator());
    } catch (IcewalException e) {
      throw IcewalErrorCode.of(e);
    }
  }

  /// The keys that hide rows of a file, as they travel; empty for none.
  ///
  /// @param wanted the keys that the scan wants
  byte[] slice(String location, KeyRange wanted) {
    FreshCut cut = cut(wanted);
    if (!cut.hidesSome()) {
      return BaseSplit.NO_KEYS;
    }
    LiveFile file = files(cut.key()).find(location);
    if (file == null) {
      throw new IllegalStateException("file " + location + " is not in the pinned snapshot");
    }
    KeySlice slice = cut.slice(file.file());
    return slice.isEmpty() ? BaseSplit.NO_KEYS : slice.toBytes();
  }

  private synchronized LiveFiles files(KeyColumns key) {
    LiveFiles known = files;
    if (known == null) {
      known =
          LiveFiles.of(
              table,
              table.snapshot(handle.getSnapshotId().orElseThrow()),
              key,
              warehouse.manifests());
      files = known;
    }
    return known;
  }
}
