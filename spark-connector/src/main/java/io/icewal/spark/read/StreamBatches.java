package io.icewal.spark.read;

import io.icewal.merge.KeyColumns;
import io.icewal.model.BlockKind;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.read.FreshCut;
import io.icewal.read.TailPiece;
import io.icewal.tail.Tail;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.jspecify.annotations.Nullable;

/// Plans the batches of a stream. Used by one thread.
final class StreamBatches {
  /// As for batch reads.
  private static final long PIECE_BYTES = 32L << 20;

  private static final int TRIES_MAX = 3;

  private static final Set<BlockKind> LOSING =
      EnumSet.of(BlockKind.DELETE, BlockKind.MIXED, BlockKind.TRUNCATE);

  private final StreamedTable table;
  private final RowKinds kinds;
  private final int metadataColumns;
  private @Nullable Kept kept;

  /// What was read to find a batch's end.
  private record Kept(Position after, Tail tail) {}

  /// What a stream tells of rows.
  enum RowKinds {
    /// Rows that are there: a delete fails the stream.
    UPSERTS,
    /// What each row is, in a column of its own.
    ALL
  }

  /// @param metadataColumns how many of them Spark may want after the table's columns
  StreamBatches(StreamedTable table, RowKinds kinds, int metadataColumns) {
    this.table = table;
    this.kinds = kinds;
    this.metadataColumns = metadataColumns;
  }

  /// Whether there is anything in a part of the log that a stream tells.
  static boolean hasChanges(Tail tail) {
    return tail.rows() > 0 || tail.truncates();
  }

  /// Spares reading it again.
  ///
  /// @param after where the batch begins; nothing of the table is between that and the tail
  void keep(Position after, Tail tail) {
    kept = new Kept(after, tail);
  }

  /// @throws IcewalException INVALID if rows are deleted and the stream cannot tell
  InputPartition[] log(Position after, Position end) {
    IcewalException moved = null;
    for (int i = 0; i < TRIES_MAX; i++) {
      try {
        Kept known = kept;
        if (known != null && known.after().equals(after) && known.tail().end().equals(end)) {
          return partitions(known.tail());
        }
        return partitions(table.range(after, end));
      } catch (IcewalException e) {
        if (e.kind() != ErrorKind.CONFLICT || kept == null) {
          throw e;
        }
        kept = null;
        moved = e;
      }
    }
    throw new IcewalException(
        ErrorKind.UNAVAILABLE,
        "the log moved while a batch of " + table.name() + " was planned",
        moved);
  }

  private InputPartition[] partitions(Tail tail) {
    FreshCut cut = table.cut(tail);
    if (kinds == RowKinds.UPSERTS && (tail.truncates() || cut.deletedKeys() > 0)) {
      throw untold(tail, cut);
    }
    List<InputPartition> partitions = new ArrayList<>();
    if (tail.truncates()) {
      partitions.add(new StreamPartition.Truncate());
    }
    for (TailPiece piece : cut.deletedPieces(PIECE_BYTES)) {
      partitions.add(new StreamPartition.Deletes(new TailPartition(piece.toBytes())));
    }
    for (TailPiece piece : cut.pieces(PIECE_BYTES)) {
      partitions.add(new StreamPartition.Upserts(new TailPartition(piece.toBytes())));
    }
    return partitions.toArray(InputPartition[]::new);
  }

  private IcewalException untold(Tail tail, FreshCut cut) {
    Position first =
        tail.blocks().stream()
            .filter(block -> LOSING.contains(block.header().kind()))
            .findFirst()
            .orElseThrow()
            .position();
    return new IcewalException(
        ErrorKind.INVALID,
        (tail.truncates()
                ? "table " + table.name() + " was truncated"
                : cut.deletedKeys() + " rows of table " + table.name() + " were deleted")
            + ", from position "
            + first
            + " on, which a stream of its columns alone cannot tell: read it by format(\"icewal\")"
            + ".option(\""
            + FreshTable.READ_CHANGES
            + "\", \"true\").load(name), whose column "
            + ChangesTable.OP
            + " tells");
  }

  PartitionReaderFactory readers() {
    Schema schema = table.loaded().schema();
    KeyColumns key = KeyColumns.of(schema);
    Schema keyColumns =
        new Schema(
            schema.columns().stream()
                .filter(column -> key.keySchema().findField(column.fieldId()) != null)
                .toList());
    return new StreamReaderFactory(
        source(schema),
        source(keyColumns),
        SparkSchemaUtil.convert(schema),
        SparkSchemaUtil.convert(keyColumns),
        kinds,
        metadataColumns);
  }

  private TailSource source(Schema columns) {
    return new TailSource(
        table.warehouse().settings(),
        table.id(),
        table.loaded().schema(),
        SparkSchemaUtil.convert(columns));
  }
}
