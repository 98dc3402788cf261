package io.icewal.read;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyRange;
import io.icewal.merge.Survivors;
import io.icewal.tail.RowsBySource;
import io.icewal.tail.Tail;
import io.icewal.tail.TailIndex;
import io.icewal.wal.BlockRef;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.jspecify.annotations.Nullable;

/// One cut through a table for an engine that plans and reads the snapshot's files itself: which
/// keys each of them must hide, and the rows to add. The engine applies its conditions after both.
/// What is told of all rows or keys is of those that the query wants, at least.
///
/// On the heap; immutable; thread-safe.
public final class FreshCut {
  private final KeyColumns key;
  private final TailPart part;
  private final KeySlices slices;

  private FreshCut(KeyColumns key, TailPart part, KeySlices slices) {
    this.key = key;
    this.part = part;
    this.slices = slices;
  }

  /// The cut for a query that may want all keys.
  public static FreshCut of(
      Schema schema, Map<Integer, PartitionSpec> specs, Tail tail, BufferAllocator allocator) {
    return of(schema, specs, tail, KeyRange.ALL, allocator);
  }

  /// Reads the keys of a tail.
  ///
  /// @param schema the table's, as of the same version of its metadata as the tail's position
  /// @param specs all partition specs of that version
  /// @param wanted the keys that the query wants. Of others neither rows need be added nor hidden:
  ///   the engine leaves out rows of these. All keys of a table without one
  /// @throws io.icewal.model.IcewalException CONFLICT if the tail can no longer be read: a new cut
  ///   is needed
  public static FreshCut of(
      Schema schema,
      Map<Integer, PartitionSpec> specs,
      Tail tail,
      KeyRange wanted,
      BufferAllocator allocator) {
    KeyColumns key = KeyColumns.of(schema);
    KeySlices slices = new KeySlices(key, specs);
    TailPart part =
        key.isEmpty()
            ? TailPart.appended(tail)
            : TailPart.keyed(tail, key, wanted, null, specs, slices, allocator);
    return new FreshCut(key, part, slices);
  }

  public Tail tail() {
    return part.tail();
  }

  public KeyColumns key() {
    return key;
  }

  /// Whether no row of the snapshot counts any more.
  public boolean hidesAll() {
    return tail().truncates();
  }

  /// Whether rows of the snapshot may be hidden.
  public boolean hidesSome() {
    return hidesAll() || part.keys().size() > 0;
  }

  /// The keys that a file of the snapshot may hold and that the tail has: rows of these keys are
  /// hidden.
  ///
  /// @param file with the bounds of its key columns
  public KeySlice slice(DataFile file) {
    return slices.of(file);
  }

  /// How many rows the tail adds.
  public long liveRows() {
    return part.liveRows();
  }

  /// All rows that the tail adds, in log order, in pieces of whole blocks.
  ///
  /// @param rawBytesMax of a piece, unless a single block is larger
  public List<TailPiece> pieces(long rawBytesMax) {
    return pieces(rawBytesMax, KeyRange.ALL);
  }

  /// The rows that the tail adds and a query wants, in log order, in pieces of whole blocks.
  ///
  /// @param rawBytesMax of a piece, unless a single block is larger
  /// @param range of the keys that are wanted; all rows of a table without key are
  public List<TailPiece> pieces(long rawBytesMax, KeyRange range) {
    return pieces(rawBytesMax, parts(range));
  }

  /// How many keys have no row any more.
  public long deletedKeys() {
    TailIndex index = part.index();
    return index == null ? 0 : index.survivors().deletes().cardinality();
  }

  /// Rows that name the keys which have no row any more: only their key columns mean something.
  ///
  /// @param rawBytesMax of a piece, unless a single block is larger
  public List<TailPiece> deletedPieces(long rawBytesMax) {
    TailIndex index = part.index();
    if (index == null) {
      return List.of();
    }
    Survivors survivors = index.survivors();
    return pieces(
        rawBytesMax,
        live(index, RowsBySource.of(survivors, index.sources().size(), survivors.deletes())));
  }

  private static List<TailPiece> pieces(long rawBytesMax, List<TailPiece.Part> parts) {
    List<TailPiece> pieces = new ArrayList<>();
    List<TailPiece.Part> piece = new ArrayList<>();
    long bytes = 0;
    for (TailPiece.Part next : parts) {
      long nextBytes = next.block().rawBytes();
      if (!piece.isEmpty() && bytes + nextBytes > rawBytesMax) {
        pieces.add(new TailPiece(piece));
        piece = new ArrayList<>();
        bytes = 0;
      }
      piece.add(next);
      bytes += nextBytes;
    }
    if (!piece.isEmpty()) {
      pieces.add(new TailPiece(piece));
    }
    return pieces;
  }

  private List<TailPiece.Part> parts(KeyRange range) {
    TailIndex index = part.index();
    if (index == null) {
      return appended();
    }
    RowsBySource all = range.equals(KeyRange.ALL) ? part.live() : null;
    return live(index, all == null ? within(index, range) : all);
  }

  private static RowsBySource within(TailIndex index, KeyRange range) {
    Survivors survivors = index.survivors();
    int from = range.from(survivors.keys());
    BitSet live = new BitSet(survivors.size());
    live.set(from, Math.max(from, range.to(survivors.keys())));
    live.andNot(survivors.deletes());
    return RowsBySource.of(survivors, index.sources().size(), live);
  }

  private List<TailPiece.Part> appended() {
    List<TailPiece.Part> parts = new ArrayList<>();
    Tail tail = tail();
    for (BlockRef block : tail.blocks().subList(tail.firstLive(), tail.blocks().size())) {
      if (block.header().hasRows() && block.rows() > 0) {
        parts.add(new TailPiece.Part(block, null));
      }
    }
    return parts;
  }

  private static List<TailPiece.Part> live(TailIndex index, RowsBySource live) {
    List<TailPiece.Part> parts = new ArrayList<>();
    @Nullable BlockRef block = null;
    List<TailPiece.RootRows> roots = new ArrayList<>();
    for (int source = 0; source < index.sources().size(); source++) {
      if (live.count(source) > 0) {
        BlockRef next = index.block(source);
        if (block != null && next != block) {
          parts.add(new TailPiece.Part(block, roots));
          roots = new ArrayList<>();
        }
        block = next;
        roots.add(new TailPiece.RootRows(index.sources().get(source).root(), live.rows(source)));
      }
    }
    if (block != null) {
      parts.add(new TailPiece.Part(block, roots));
    }
    return parts;
  }
}
