package io.icewal.sim;

import com.github.luben.zstd.Zstd;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.icewal.wal.proto.WalProto;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.jspecify.annotations.Nullable;

/// What the logs really hold, seen from above: every segment that landed while its slot was above
/// the boundary, decoded by the words of the format document and by none of the product's code. A
/// segment that lands on a trimmed slot is a ghost: it is counted and otherwise ignored.
final class LogTruth {
  /// One row, or one TRUNCATE.
  ///
  /// @param key its key's number; -1 without a key
  /// @param token null for deletes
  record Op(Kind kind, int key, @Nullable Long token) {}

  /// What an [Op] does.
  enum Kind {
    UPSERT,
    DELETE,
    TRUNCATE
  }

  /// One batch as its producer named it.
  private record Stored(long number, int block) {}

  private final BufferAllocator allocator;
  private final WrittenRows written;
  private final Map<UUID, TableShape> shapes = new HashMap<>();
  private final Map<UUID, TreeMap<Long, List<Op>>> tables = new HashMap<>();
  private final Map<Integer, Long> boundaries = new HashMap<>();
  private final Map<Integer, Long> ends = new HashMap<>();
  private final Map<String, Long> sequences = new HashMap<>();
  private final Map<String, Stored> batches = new HashMap<>();
  private final Set<Long> tokens = new HashSet<>();
  private int ghosts;
  private int rounds;

  LogTruth(BufferAllocator allocator, WrittenRows written) {
    this.allocator = allocator;
    this.written = written;
  }

  void addTable(UUID id, TableShape shape) {
    shapes.put(id, shape);
    tables.put(id, new TreeMap<>());
  }

  int ghosts() {
    return ghosts;
  }

  int rounds() {
    return rounds;
  }

  /// The last segment that counts in a log.
  long end(int log) {
    return ends.getOrDefault(log, 0L);
  }

  /// Whether the batch that a producer named is in its table's log.
  boolean holds(UUID table, String producer, long sequence) {
    return batches.containsKey(table + "/" + producer + "/" + sequence);
  }

  /// Whether a row with this token is in a log.
  boolean holds(long token) {
    return tokens.contains(token);
  }

  /// A table's rows in segments after one number up to another, in order.
  List<Op> ops(UUID table, long after, long upTo) {
    List<Op> all = new ArrayList<>();
    of(table).subMap(after, false, upTo, true).values().forEach(all::addAll);
    return all;
  }

  private TreeMap<Long, List<Op>> of(UUID table) {
    return java.util.Objects.requireNonNull(tables.get(table));
  }

  /// Told of every object that comes to be.
  void landed(String key, byte[] bytes) {
    String[] parts = key.split("/");
    if (parts.length == 4 && parts[2].equals("boundary")) {
      boundary(log(parts), bytes);
    } else if (parts.length == 5 && parts[2].equals("segments")) {
      long number = Long.parseLong(parts[4], 16);
      if (number <= boundaries.getOrDefault(log(parts), 0L)) {
        ghosts++;
      } else {
        segment(log(parts), number, bytes);
      }
    }
  }

  private static int log(String[] parts) {
    return Integer.parseInt(parts[1].substring("log-".length()));
  }

  private void boundary(int log, byte[] bytes) {
    WalProto.Boundary boundary;
    try {
      boundary = WalProto.Boundary.parseFrom(body(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("boundary is not readable", e);
    }
    rounds++;
    Long before = boundaries.put(log, boundary.getNumber());
    if (before != null && before >= boundary.getNumber()) {
      throw new AssertionError("boundary fell from " + before + " to " + boundary.getNumber());
    }
    if (boundary.getNumber() > end(log)) {
      throw new AssertionError("boundary " + boundary.getNumber() + " beyond the end " + end(log));
    }
  }

  private void segment(int log, long number, byte[] bytes) {
    if (number != end(log) + 1) {
      throw new AssertionError("log " + log + ": segment " + number + " landed after " + end(log));
    }
    ends.put(log, number);
    try {
      WalProto.SegmentFooter footer = WalProto.SegmentFooter.parseFrom(body(bytes));
      for (int i = 0; i < footer.getBlocksCount(); i++) {
        block(footer, footer.getBlocks(i), number, i, bytes);
      }
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("footer of segment " + number + " is not readable", e);
    }
  }

  private static ByteBuffer body(byte[] bytes) {
    ByteBuffer trailer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int length = trailer.getInt(bytes.length - 16);
    return ByteBuffer.wrap(bytes, bytes.length - 20 - length, length).slice();
  }

  private void block(
      WalProto.SegmentFooter footer, WalProto.Block block, long number, int index, byte[] bytes) {
    UUID table = uuid(footer.getHeaders(block.getHeader()).getTableId());
    TableShape shape = shapes.get(table);
    if (shape == null) {
      throw new AssertionError("segment " + number + " has rows of an unknown table " + table);
    }
    for (WalProto.Batch batch : block.getBatchesList()) {
      stored(table, batch, number, index);
    }
    List<Op> ops = of(table).computeIfAbsent(number, n -> new ArrayList<>());
    if (block.getKind() == WalProto.Kind.KIND_TRUNCATE) {
      ops.add(new Op(Kind.TRUNCATE, ReferenceTable.NO_KEY, null));
    } else if (block.getKind() != WalProto.Kind.KIND_FLUSH) {
      ops.addAll(rows(shape, footer.getHeaders(block.getHeader()), block, bytes));
    }
  }

  /// Exactly once, and in the order in which their producer sent them.
  private void stored(UUID table, WalProto.Batch batch, long number, int block) {
    if (batch.getProducer().isEmpty()) {
      return;
    }
    String producer = table + "/" + batch.getProducer();
    String name = producer + "/" + batch.getSequence();
    Stored before = batches.put(name, new Stored(number, block));
    if (before != null) {
      throw new AssertionError("batch " + name + " is stored twice: " + before + " and " + number);
    }
    Long last = sequences.put(producer, batch.getSequence());
    if (last != null && last > batch.getSequence()) {
      throw new AssertionError("batch " + name + " landed behind sequence " + last);
    }
  }

  private List<Op> rows(
      TableShape shape, WalProto.TableHeader header, WalProto.Block block, byte[] bytes) {
    Map<Integer, String> names = new HashMap<>();
    header.getColumnsList().forEach(column -> names.put(column.getId(), column.getName()));
    List<Map<Integer, @Nullable Object>> rows = new ArrayList<>();
    List<Byte> kinds = new ArrayList<>();
    for (long row = 0; row < block.getRows(); row++) {
      rows.add(new HashMap<>());
    }
    WalProto.Location location = block.getLocation();
    if (location.hasKeys()) {
      frame(location.getKeys(), bytes, rows, kinds);
    }
    if (location.hasRest()) {
      frame(location.getRest(), bytes, rows, kinds);
    }
    List<Op> ops = new ArrayList<>();
    for (int row = 0; row < rows.size(); row++) {
      boolean delete =
          block.getKind() == WalProto.Kind.KIND_DELETE
              || (block.getKind() == WalProto.Kind.KIND_MIXED && kinds.get(row) == 1);
      Long token = delete ? null : (Long) rows.get(row).get(shape.tokenId);
      if (token != null && !tokens.add(token)) {
        throw new AssertionError("row " + token + " is in the log twice");
      }
      if (token != null) {
        written.add(token, rows.get(row), header.getLastColumnId(), names);
      }
      ops.add(new Op(delete ? Kind.DELETE : Kind.UPSERT, shape.keyNumber(rows.get(row)), token));
    }
    return ops;
  }

  private void frame(
      WalProto.Part part,
      byte[] bytes,
      List<Map<Integer, @Nullable Object>> rows,
      List<Byte> kinds) {
    byte[] compressed = new byte[part.getLength() - 16];
    System.arraycopy(bytes, (int) part.getOffset() + 16, compressed, 0, compressed.length);
    byte[] raw = Zstd.decompress(compressed, part.getRawLength());
    try (ArrowStreamReader reader =
        new ArrowStreamReader(new ByteArrayInputStream(raw), allocator)) {
      int first = 0;
      while (reader.loadNextBatch()) {
        VectorSchemaRoot root = reader.getVectorSchemaRoot();
        for (int row = 0; row < root.getRowCount(); row++) {
          take(root, row, rows.get(first + row), kinds);
        }
        first += root.getRowCount();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void take(
      VectorSchemaRoot root, int row, Map<Integer, @Nullable Object> values, List<Byte> kinds) {
    for (FieldVector vector : root.getFieldVectors()) {
      if (vector.getName().equals("_op")) {
        kinds.add(((TinyIntVector) vector).get(row));
      } else {
        int id = Integer.parseInt(vector.getField().getMetadata().get("PARQUET:field_id"));
        values.put(id, WrittenRows.plain(vector.getObject(row)));
      }
    }
  }

  private static UUID uuid(ByteString bytes) {
    ByteBuffer buffer = bytes.asReadOnlyByteBuffer();
    return new UUID(buffer.getLong(), buffer.getLong());
  }
}
