package io.icewal.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// What each snapshot of one table must hold, and the check that it does: told of every commit, it
/// reads the table with plain Iceberg and compares.
final class TableTruth {
  /// Summary key by which a foreign engine's commit names its effect.
  static final String FOREIGN = "sim-op";

  /// One row's coming or going by a foreign engine.
  record Effect(int key, long token, boolean append) {}

  /// What a snapshot holds.
  ///
  /// @param position up to where the log is in it; [#NO_POSITION] if the table was replaced
  record State(ReferenceTable rows, long position, Map<Long, Long> rowIdsByToken) {}

  /// The position of a table that was replaced and not adopted yet.
  static final long NO_POSITION = -1;

  final TableShape shape;
  final UUID id;
  private final LogTruth log;
  private final WrittenRows written;
  private final SimFileIO io;
  private final Map<String, List<Effect>> effects = new HashMap<>();
  private final Map<Long, State> states = new HashMap<>();
  private final Map<Long, String> rowIdsUsed = new HashMap<>();
  private final Map<Long, Set<Long>> positions = new HashMap<>();
  private TableIdentifier name;
  private @Nullable TableMetadata last;
  private boolean dropped;
  private int commits;

  TableTruth(TableShape shape, UUID id, LogTruth log, WrittenRows written, SimFileIO io) {
    this.shape = shape;
    this.name = shape.identifier;
    this.id = id;
    this.log = log;
    this.written = written;
    this.io = io;
  }

  int commits() {
    return commits;
  }

  State state(long snapshotId) {
    State state = states.get(snapshotId);
    if (state == null) {
      throw new AssertionError(shape.identifier + " has no snapshot " + snapshotId);
    }
    return state;
  }

  /// The name that the catalog has for it now.
  TableIdentifier name() {
    return name;
  }

  void renamed(TableIdentifier to) {
    name = to;
  }

  void dropped() {
    dropped = true;
  }

  /// Whether the catalog has it.
  boolean exists() {
    return last != null && !dropped;
  }

  /// Whether another engine has put another table in its place.
  boolean isReplaced() {
    return last != null && position() == NO_POSITION;
  }

  /// Up to where it has the log now.
  long position() {
    return position(Objects.requireNonNull(last));
  }

  /// The snapshot that is current; null if another engine has left none.
  @Nullable Snapshot currentSnapshot() {
    return Objects.requireNonNull(last).currentSnapshot();
  }

  /// What a reader without the log must see now.
  ReferenceTable currentRows() {
    Snapshot snapshot = currentSnapshot();
    return snapshot == null ? new ReferenceTable(shape.keyed) : state(snapshot.snapshotId()).rows;
  }

  /// Whether the table once was at this snapshot with this position.
  boolean wasAt(long snapshotId, long position) {
    return positions.getOrDefault(snapshotId, Set.of()).contains(position);
  }

  /// Notes what a client sends in a row, by names, before that can land.
  void sent(long token, Map<String, @Nullable Object> values) {
    written.send(token, values);
  }

  /// Notes what a foreign engine writes in a row, before that can land.
  void write(Schema schema, int lastColumnId, int key, long token) {
    written.add(token, WrittenRows.values(shape, schema.asStruct(), key, token), lastColumnId);
  }

  /// Announces what a foreign commit that names `op` in its summary will do, if it lands.
  void announce(String op, List<Effect> announced) {
    effects.put(op, announced);
  }

  /// The rows of a snapshot and of the log's segments after a position up to `end`.
  ReferenceTable fresh(long snapshotId, long position, long end) {
    ReferenceTable rows = state(snapshotId).rows.copy();
    if (position != NO_POSITION) {
      apply(rows, log.ops(id, position, end));
    }
    return rows;
  }

  /// Told of every new version of the table's metadata.
  ///
  /// @return what another engine did to the table as a whole; empty if nothing
  String committed(TableMetadata metadata) {
    TableMetadata before = last;
    last = metadata;
    Snapshot snapshot = metadata.currentSnapshot();
    Snapshot snapshotBefore = before == null ? null : before.currentSnapshot();
    long position = position(metadata);
    if (position == NO_POSITION) {
      // Iceberg replaces what it loaded at first: what came in between is gone, ids too.
      rowIdsUsed.clear();
    } else if (before != null && metadata.nextRowId() < before.nextRowId()) {
      throw new AssertionError("next row id fell to " + metadata.nextRowId());
    }
    if (snapshot == null) {
      return "table replaced";
    }
    boolean moved = snapshotBefore == null || snapshot.snapshotId() != snapshotBefore.snapshotId();
    if (!moved || states.containsKey(snapshot.snapshotId())) {
      // A change of the schema, or a way back to an older snapshot.
      if (before != null && position != position(before)) {
        throw new AssertionError("position moved without a new snapshot");
      }
      checkRows(oracleTable(metadata), snapshot);
    } else {
      snapshotAdded(metadata, before, snapshot, position);
    }
    positions.computeIfAbsent(snapshot.snapshotId(), id -> new HashSet<>()).add(position);
    if (before == null) {
      return "";
    }
    if (position == NO_POSITION || position(before) == NO_POSITION) {
      return position == NO_POSITION ? "table replaced" : "table adopted";
    }
    if (metadata.currentSchemaId() != before.currentSchemaId()) {
      return "schema changed";
    }
    return moved
            && snapshotBefore != null
            && snapshot.sequenceNumber() < snapshotBefore.sequenceNumber()
        ? "table rolled back"
        : "";
  }

  private void snapshotAdded(
      TableMetadata metadata, @Nullable TableMetadata before, Snapshot snapshot, long position) {
    commits++;
    Deque<Snapshot> added = added(metadata, snapshot);
    while (added.size() > 1) {
      Snapshot older = added.pop();
      State parent = parent(older, before);
      states.put(older.snapshotId(), next(parent, older, parent.position));
    }
    State parent = parent(snapshot, before);
    if (position < parent.position && position != NO_POSITION) {
      throw new AssertionError("position fell from " + parent.position + " to " + position);
    }
    states.put(snapshot.snapshotId(), next(parent, snapshot, position));
    check(metadata, snapshot, parent);
  }

  private Deque<Snapshot> added(TableMetadata metadata, Snapshot newest) {
    Deque<Snapshot> added = new ArrayDeque<>();
    Snapshot snapshot = newest;
    while (snapshot != null && !states.containsKey(snapshot.snapshotId())) {
      added.push(snapshot);
      snapshot = snapshot.parentId() == null ? null : metadata.snapshot(snapshot.parentId());
    }
    return added;
  }

  /// What a new snapshot is made of. After a way back to an older snapshot, the position stays.
  private State parent(Snapshot snapshot, @Nullable TableMetadata before) {
    Long parentId = snapshot.parentId();
    if (parentId == null) {
      return new State(new ReferenceTable(shape.keyed), NO_POSITION, Map.of());
    }
    State parent = state(parentId);
    Snapshot current = before == null ? null : before.currentSnapshot();
    return before != null && current != null && current.snapshotId() == parentId
        ? new State(parent.rows, position(before), parent.rowIdsByToken)
        : parent;
  }

  private State next(State parent, Snapshot snapshot, long position) {
    ReferenceTable rows = parent.rows.copy();
    if (parent.position != NO_POSITION && position != NO_POSITION) {
      apply(rows, log.ops(id, parent.position, position));
    }
    String op = snapshot.summary().get(FOREIGN);
    if (op != null) {
      for (Effect effect : Objects.requireNonNull(effects.get(op))) {
        if (effect.append) {
          rows.append(effect.key, effect.token);
        } else {
          rows.remove(effect.token);
        }
      }
    }
    return new State(rows, position, new HashMap<>());
  }

  private static void apply(ReferenceTable rows, List<LogTruth.Op> ops) {
    for (LogTruth.Op op : ops) {
      switch (op.kind()) {
        case UPSERT -> rows.upsert(op.key(), Objects.requireNonNull(op.token()));
        case DELETE -> rows.delete(op.key());
        case TRUNCATE -> rows.truncate();
      }
    }
  }

  static TableMetadata metadata(Table table) {
    return ((HasTableOperations) table).operations().current();
  }

  /// The position that the property says, unless main begins anew after it was written.
  private static long position(TableMetadata metadata) {
    String text = metadata.properties().get("icewal.position");
    Snapshot root = metadata.currentSnapshot();
    while (root != null && root.parentId() != null) {
      root = metadata.snapshot(root.parentId());
    }
    if (text == null || root == null) {
      return NO_POSITION;
    }
    String[] parts = text.split(";");
    long sequence = Long.parseLong(parts[2].substring("sequence=".length()));
    return root.sequenceNumber() > sequence ? NO_POSITION : Long.parseLong(parts[0].split("/")[3]);
  }

  private void check(TableMetadata metadata, Snapshot snapshot, State parent) {
    Table table = oracleTable(metadata);
    checkDeletes(table, snapshot);
    checkRows(table, snapshot);
    checkLineage(state(snapshot.snapshotId()), parent);
  }

  private Table oracleTable(TableMetadata metadata) {
    return new BaseTable(new StaticTableOperations(metadata, io.unobserved()), "oracle");
  }

  private void checkRows(Table table, Snapshot snapshot) {
    State state = state(snapshot.snapshotId());
    state.rowIdsByToken.clear();
    TreeMap<Integer, List<Long>> seen = new TreeMap<>();
    try (CloseableIterable<Record> rows =
        IcebergGenerics.read(table)
            .project(MetadataColumns.schemaWithRowLineage(table.schema()))
            .build()) {
      for (Record row : rows) {
        row(table.schema(), state, seen, row);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    seen.values().forEach(tokens -> tokens.sort(null));
    compare("snapshot " + snapshot.sequenceNumber(), state.rows.rows(), seen);
  }

  private void row(Schema schema, State state, TreeMap<Integer, List<Long>> seen, Record row) {
    long token = checkRow(schema, row::getField, seen);
    Long rowId = (Long) row.getField(MetadataColumns.ROW_ID.name());
    if (rowId == null || state.rowIdsByToken.put(token, rowId) != null) {
      throw new AssertionError("row " + token + " has row id " + rowId + ", or is there twice");
    }
  }

  /// Checks the values of a row that some reader gave, and notes it.
  ///
  /// @param schema the reader's
  /// @return its token
  long checkRow(
      Schema schema,
      java.util.function.Function<String, ? extends @Nullable Object> row,
      TreeMap<Integer, List<Long>> seen) {
    Map<Integer, @Nullable Object> values = new HashMap<>();
    for (NestedField column : schema.columns()) {
      values.put(column.fieldId(), Values.plain(column.type(), row.apply(column.name())));
    }
    long token = (Long) Objects.requireNonNull(values.get(shape.tokenId));
    for (NestedField column : schema.columns()) {
      Object expected = written.expected(token, column);
      if (!Objects.equals(values.get(column.fieldId()), expected)) {
        throw new AssertionError(
            shape.identifier
                + " row "
                + token
                + " has "
                + values.get(column.fieldId())
                + ", expected "
                + expected
                + ", in "
                + column);
      }
    }
    seen.computeIfAbsent(shape.keyNumber(values), n -> new ArrayList<>()).add(token);
    return token;
  }

  /// Says which keys differ.
  void compare(
      String what, TreeMap<Integer, List<Long>> expected, TreeMap<Integer, List<Long>> seen) {
    if (!expected.equals(seen)) {
      Set<Integer> keys = new HashSet<>(expected.keySet());
      keys.addAll(seen.keySet());
      StringBuilder text = new StringBuilder(shape.identifier + ", " + what + ":");
      for (int key : keys) {
        if (!Objects.equals(expected.get(key), seen.get(key))) {
          text.append(" key ").append(key).append(" expected ").append(expected.get(key));
          text.append(" seen ").append(seen.get(key)).append(';');
        }
      }
      throw new AssertionError(text.toString());
    }
  }

  /// An updated key keeps its row id; every other new row has one that was never used.
  private void checkLineage(State state, State parent) {
    if (new HashSet<>(state.rowIdsByToken.values()).size() != state.rowIdsByToken.size()) {
      throw new AssertionError("row ids are not unique: " + state.rowIdsByToken);
    }
    TreeMap<Integer, List<Long>> before = parent.rows.rows();
    state
        .rows
        .rows()
        .forEach(
            (key, tokens) -> {
              List<Long> old = before.getOrDefault(key, List.of());
              boolean updated =
                  shape.keyed
                      && old.size() == 1
                      && tokens.size() == 1
                      && !state.rows.reborn().contains(key);
              for (long token : tokens) {
                long from = updated ? old.get(0) : token;
                checkRowId(key, token, state, parent, from, old.size());
              }
            });
    state.rowIdsByToken.forEach(
        (token, rowId) -> rowIdsUsed.put(rowId, "row " + token + " of commit " + commits));
  }

  private void checkRowId(
      int key, long token, State state, State parent, long from, int oldCopies) {
    Long rowId = state.rowIdsByToken.get(token);
    Long kept = parent.rowIdsByToken.get(from);
    if (kept != null && !kept.equals(rowId)) {
      throw new AssertionError(
          shape.identifier
              + " key "
              + key
              + " row "
              + token
              + " has row id "
              + rowId
              + ", its predecessor "
              + from
              + " had "
              + kept
              + "; now commit "
              + commits
              + ", rows of the log in between: "
              + log.ops(id, parent.position, state.position));
    }
    // With several copies, the row that replaces them may keep any one's id.
    if (kept == null && oldCopies < 2 && rowIdsUsed.containsKey(rowId)) {
      throw new AssertionError(
          shape.identifier
              + " key "
              + key
              + " row "
              + token
              + " is new but has the used row id "
              + rowId
              + "; "
              + oldCopies
              + " copies before; now commit "
              + commits
              + ", the id was last that of "
              + rowIdsUsed.get(rowId)
              + "; rows of the log in between: "
              + log.ops(id, parent.position, state.position));
    }
  }

  /// One live deletion vector a data file at most, and none without its file.
  private static void checkDeletes(Table table, Snapshot snapshot) {
    Set<String> used = new HashSet<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        if (task.deletes().size() > 1) {
          throw new AssertionError("several deletes for " + task.file().location());
        }
        task.deletes().forEach(delete -> used.add(delete.referencedDataFile()));
      }
      int live = 0;
      for (ManifestFile manifest : snapshot.deleteManifests(table.io())) {
        try (ManifestReader<DeleteFile> reader =
            ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs())) {
          for (DeleteFile delete : reader) {
            live++;
            if (!used.contains(delete.referencedDataFile())) {
              throw new AssertionError(
                  "snapshot "
                      + snapshot
                      + " has a delete for "
                      + delete.referencedDataFile()
                      + ", which is not live");
            }
          }
        }
      }
      if (live != used.size()) {
        throw new AssertionError(live + " live deletes for " + used.size() + " files");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
