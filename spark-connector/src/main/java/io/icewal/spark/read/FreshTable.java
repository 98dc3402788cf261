package io.icewal.spark.read;

import io.icewal.merge.KeyColumns;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.spark.services.Warehouse;
import io.icewal.spark.write.ChangeByKey;
import io.icewal.spark.write.LogWriteBuilder;
import io.icewal.spark.write.MainBranch;
import io.icewal.spark.write.UpsertWriteBuilder;
import io.icewal.statement.StatementTable;
import io.icewal.table.TablePosition;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.spark.SparkTableUtil;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.util.SnapshotUtil;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.expressions.filter.AlwaysTrue;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/// A table of icewal in its current version: iceberg-spark's, with the tail.
///
/// Spark loads a table when it analyses a statement and again when it executes it. So nothing of
/// the log is read before the first scan: an object that is never scanned costs no request.
public final class FreshTable extends SparkTable {
  /// Read option: `false` for the snapshot alone.
  public static final String FRESH = "fresh";

  /// Read option of streams: `true` for a column that says what each row is.
  public static final String READ_CHANGES = "readChanges";

  private final String name;

  /// Follows the catalog.
  private final BaseTable current;

  /// As it was when Spark analysed the statement.
  private final BaseTable loaded;

  private final Warehouse warehouse;
  private @Nullable Pin pin;

  private FreshTable(String name, BaseTable current, Warehouse warehouse) {
    super(current);
    this.name = name;
    this.current = current;
    this.loaded = Pin.frozen(current.name(), current.operations());
    this.warehouse = warehouse;
  }

  /// The table as Spark sees it: a fresh one if it is icewal's, else iceberg-spark's own.
  public static SparkTable of(TableIdentifier name, Table table, Warehouse warehouse) {
    return table instanceof BaseTable base && TablePosition.valid(base).isPresent()
        ? new FreshTable(name.toString(), base, warehouse)
        : new SparkTable(table);
  }

  @Override
  public Map<String, String> properties() {
    Map<String, String> properties = new HashMap<>(super.properties());
    Set<String> key = current.schema().identifierFieldNames();
    if (!key.isEmpty()) {
      properties.put("primary-key", String.join(",", key));
    }
    return properties;
  }

  /// Rows that are in no file have null there.
  @Override
  public MetadataColumn[] metadataColumns() {
    return Arrays.stream(super.metadataColumns())
        .map(NullableMetadataColumn::of)
        .toArray(MetadataColumn[]::new);
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(
        TableCapability.BATCH_READ,
        TableCapability.BATCH_WRITE,
        TableCapability.MICRO_BATCH_READ,
        TableCapability.STREAMING_WRITE,
        TableCapability.TRUNCATE);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    if (isOfSnapshots(options)) {
      return new SnapshotScanBuilder(
          PlainScanBuilder.orStock(current.schema(), options, super::newScanBuilder),
          () -> {
            throw StreamOptions.notOfLog(name);
          });
    }
    if (options.getBoolean(READ_CHANGES, false)) {
      throw new UnsupportedOperationException(
          READ_CHANGES
              + " is for streams that are begun by readStream.format(\"icewal\").load(name)");
    }
    Pin pinned = pin();
    return pinned.hasTail()
        ? FreshScanBuilder.of(pinned, options, () -> stream(options))
        : new SnapshotScanBuilder(
            PlainScanBuilder.orStock(
                pinned.table().schema(), options, new SparkTable(pinned.table())::newScanBuilder),
            () -> stream(options));
  }

  /// Whether a scan is of what the table's files have, which streams have no part in.
  private boolean isOfSnapshots(CaseInsensitiveStringMap options) {
    String branch = SparkTableUtil.determineReadBranch(spark(), current, branch(), options);
    return !options.getBoolean(FRESH, true)
        || Spark3Util.containsIncrementalOptions(options)
        || (branch != null && !branch.equals(SnapshotRef.MAIN_BRANCH));
  }

  private MicroBatchStream stream(CaseInsensitiveStringMap options) {
    StreamedTable streamed = streamed();
    return new LogStream(
        streamed,
        StreamOptions.of(options),
        new StreamBatches(streamed, StreamBatches.RowKinds.UPSERTS, metadataColumns().length));
  }

  private StreamedTable streamed() {
    return new StreamedTable(name, loaded, current.operations(), warehouse);
  }

  /// The table as options of a stream ask for it.
  public org.apache.spark.sql.connector.catalog.Table streamed(CaseInsensitiveStringMap options) {
    if (!options.getBoolean(READ_CHANGES, false)) {
      return this;
    }
    if (isOfSnapshots(options)) {
      throw StreamOptions.notOfLog(name);
    }
    return new ChangesTable(this::streamed);
  }

  private synchronized Pin pin() {
    Pin made = pin;
    if (made == null) {
      made = Pin.make(current.uuid(), current.name(), current.operations(), warehouse);
      if (!made.table().schema().sameSchema(loaded.schema())) {
        throw new IcewalException(
            ErrorKind.CONFLICT,
            "the schema of "
                + current.name()
                + " was changed while the query was being planned: run it again");
      }
      pin = made;
    }
    return made;
  }

  private synchronized @Nullable Pin pinIfMade() {
    return pin;
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    LogWriteBuilder rows =
        new LogWriteBuilder(warehouse, unread(info.options()), this::requireSameColumns, info);
    return loaded.schema().identifierFieldIds().isEmpty() ? rows : new UpsertWriteBuilder(rows);
  }

  /// The table for statements that do not read it.
  private StatementTable unread(CaseInsensitiveStringMap options) {
    requireMain(options);
    Position position = TablePosition.valid(loaded).orElseThrow().position();
    return StatementTable.of(name, loaded, position);
  }

  /// Iceberg's extensions of Spark ask for the branch of an option, or of the session.
  @Override
  public SparkTable copyWithBranch(@Nullable String branch) {
    return branch == null || branch.equals(SnapshotRef.MAIN_BRANCH)
        ? this
        : new SnapshotTable(super.copyWithBranch(branch));
  }

  private void requireMain(CaseInsensitiveStringMap options) {
    MainBranch.require(spark(), name, loaded, branch(), options);
  }

  @Override
  public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
    KeyColumns key = KeyColumns.of(loaded.schema());
    boolean byWholeColumns =
        key.fieldIds().stream().allMatch(id -> loaded.schema().asStruct().field(id) != null);
    if (key.isEmpty() || !byWholeColumns) {
      throw new UnsupportedOperationException(
          "table "
              + name
              + " has no primary key of whole columns: its rows cannot be changed from Spark");
    }
    requireMain(info.options());
    requireFresh(info.options());
    return () -> {
      // Now: what else the statement reads of the table, it reads later, so that its conflicts are
      // looked for from here on.
      Pin pinned = pin();
      StatementTable seen = StatementTable.of(name, pinned.table(), pinned.tail().end());
      return new ChangeByKey(
          info.command(), warehouse, seen, () -> requireLater(pinned), this::newScanBuilder);
    };
  }

  /// A statement that reads before it writes must see what it writes over.
  private void requireFresh(CaseInsensitiveStringMap options) {
    if (!options.getBoolean(FRESH, true)) {
      throw new UnsupportedOperationException(
          "UPDATE, DELETE and MERGE of table " + name + " read its log, too");
    }
  }

  /// Before rows are published: the table can still take them.
  private void requireSameColumns() {
    BaseTable now = now();
    if (!TakenColumns.fit(loaded.schema(), now.schema())) {
      throw changed();
    }
  }

  /// Before changes are published: the rows that were read are of this table, and not undone.
  private void requireLater(Pin read) {
    BaseTable now = now();
    Snapshot snapshot = read.table().currentSnapshot();
    boolean later =
        now.currentSnapshot() != null && SnapshotUtil.isAncestorOf(now, snapshot.snapshotId());
    if (!later || !TakenColumns.fit(read.table().schema(), now.schema())) {
      throw changed();
    }
  }

  private BaseTable now() {
    BaseTable now;
    try {
      now = Pin.now(current.name(), current.operations());
    } catch (NoSuchTableException e) {
      throw changed();
    }
    if (!now.uuid().equals(loaded.uuid()) || TablePosition.valid(now).isEmpty()) {
      throw changed();
    }
    return now;
  }

  private IcewalException changed() {
    return new IcewalException(
        ErrorKind.CONFLICT,
        "table "
            + name
            + " was dropped, renamed, replaced or rolled back, or its columns changed, while the"
            + " statement ran: nothing was written; run it again");
  }

  /// Only if it is for all rows; all others go row by row.
  @Override
  public boolean canDeleteWhere(Predicate[] predicates) {
    return Arrays.stream(predicates).allMatch(AlwaysTrue.class::isInstance);
  }

  @Override
  public void deleteWhere(Predicate[] predicates) {
    if (!canDeleteWhere(predicates)) {
      throw new IllegalArgumentException("not for all rows: " + Arrays.toString(predicates));
    }
    truncateTable();
  }

  @Override
  public boolean truncateTable() {
    warehouse
        .statements()
        .truncate(unread(CaseInsensitiveStringMap.empty()), UUID.randomUUID().toString());
    return true;
  }

  /// Two objects whose cut is not made yet may come to see different rows.
  @Override
  public boolean equals(@Nullable Object other) {
    if (this == other) {
      return true;
    }
    if (!(other instanceof FreshTable that) || !super.equals(that)) {
      return false;
    }
    Pin mine = pinIfMade();
    Pin others = that.pinIfMade();
    return mine != null && others != null && mine.isSameAs(others);
  }

  @Override
  public int hashCode() {
    return Objects.hash(current.name(), current.uuid());
  }
}
