package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.merge.Survivors;
import io.icewal.parquet.ArrowRows;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/// A sorted run on disk: the newest row of each key of some consecutive blocks. Two Arrow streams
/// in step: batch by batch, the key columns with what each row means, and all columns of the
/// upserts.
final class Run {
  /// Rows of a batch at most: all runs of a merge have one in memory.
  private static final int BATCH_ROWS_MAX = 2048;

  private static final String FLAGS = "flags";
  private static final byte DELETE = 1;
  private static final byte REBORN = 2;

  private final Path keys;
  private final Path rows;

  private Run(Path keys, Path rows) {
    this.keys = keys;
    this.rows = rows;
  }

  /// One batch of a run in memory.
  ///
  /// @param ranks the place of each key's row among the batch's upserts
  record Batch(
      VectorSchemaRoot keyRows, KeyVector keys, byte[] flags, VectorSchemaRoot rows, int[] ranks)
      implements AutoCloseable {
    /// Memory that it takes, about.
    long bytes() {
      return bytesOf(keyRows) + bytesOf(rows) + keys.heapBytes();
    }

    boolean isDelete(int row) {
      return (flags[row] & DELETE) != 0;
    }

    boolean isReborn(int row) {
      return (flags[row] & REBORN) != 0;
    }

    @Override
    public void close() {
      keyRows.close();
      rows.close();
    }
  }

  private static long bytesOf(VectorSchemaRoot rows) {
    return rows.getFieldVectors().stream().mapToLong(FieldVector::getBufferSize).sum();
  }

  /// Writes the current chunk of sorted rows.
  ///
  /// @param batchBytes what a batch may take in memory, about
  static Run write(
      Path folder, int number, SortedRows from, long batchBytes, BufferAllocator allocator) {
    Run run = in(folder, number);
    try (FileChannel keys = create(run.keys);
        FileChannel rows = create(run.rows)) {
      write(keys, rows, from, 0, from.chunk().size(), batchBytes, allocator);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write a sorted run in " + folder, e);
    }
    return run;
  }

  private static Run in(Path folder, int number) {
    return new Run(folder.resolve(number + ".keys"), folder.resolve(number + ".rows"));
  }

  private static FileChannel create(Path path) throws IOException {
    return FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /// The current chunk's keys `start` to `end` (exclusive), and their rows, to be sent.
  static RunBytes bytes(
      int number, SortedRows from, int start, int end, long batchBytes, BufferAllocator allocator) {
    ByteArrayOutputStream keys = new ByteArrayOutputStream();
    ByteArrayOutputStream rows = new ByteArrayOutputStream();
    write(
        Channels.newChannel(keys),
        Channels.newChannel(rows),
        from,
        start,
        end,
        batchBytes,
        allocator);
    return new RunBytes(number, keys.toByteArray(), rows.toByteArray());
  }

  /// A run that was sent, on disk.
  static Run of(Path folder, RunBytes bytes) {
    Run run = in(folder, bytes.number());
    try {
      Files.write(run.keys, bytes.keys(), StandardOpenOption.CREATE_NEW);
      Files.write(run.rows, bytes.rows(), StandardOpenOption.CREATE_NEW);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write a sorted run in " + folder, e);
    }
    return run;
  }

  private static void write(
      WritableByteChannel keys,
      WritableByteChannel rows,
      SortedRows from,
      int first,
      int last,
      long batchBytes,
      BufferAllocator allocator) {
    Survivors chunk = from.chunk();
    VectorSchemaRoot keyRows = from.keyRows();
    List<VectorSchemaRoot> sources = from.sources();
    try (Out keysOut = new Out(keys, withFlags(keyRows.getSchema()), allocator);
        Out rowsOut = new Out(rows, sources.get(0).getSchema(), allocator)) {
      int step = batchRows(sources, batchBytes);
      for (int start = first; start < last; start += step) {
        int end = Math.min(last, start + step);
        writeKeys(keysOut, keyRows, chunk, start, end, allocator);
        writeRows(rowsOut, sources, chunk, start, end, allocator);
      }
    }
  }

  private static int batchRows(List<VectorSchemaRoot> sources, long batchBytes) {
    long bytes = sources.stream().mapToLong(Run::bytesOf).sum();
    long rows = sources.stream().mapToLong(VectorSchemaRoot::getRowCount).sum();
    long bytesPerRow = Math.max(1, bytes / Math.max(1, rows));
    return (int) Math.max(1, Math.min(BATCH_ROWS_MAX, batchBytes / bytesPerRow));
  }

  private static Schema withFlags(Schema schema) {
    List<Field> fields = new ArrayList<>(schema.getFields());
    fields.add(Field.notNullable(FLAGS, new ArrowType.Int(8, true)));
    return new Schema(fields);
  }

  private static void writeKeys(
      Out out,
      VectorSchemaRoot keyRows,
      Survivors chunk,
      int start,
      int end,
      BufferAllocator allocator) {
    try (VectorSchemaRoot slice = ArrowRows.slice(keyRows, start, end, allocator);
        TinyIntVector flags = new TinyIntVector(FLAGS, allocator)) {
      flags.allocateNew(end - start);
      for (int i = start; i < end; i++) {
        flags.set(i - start, (chunk.isDelete(i) ? DELETE : 0) | (chunk.isReborn(i) ? REBORN : 0));
      }
      flags.setValueCount(end - start);
      List<FieldVector> columns = new ArrayList<>(slice.getFieldVectors());
      columns.add(flags);
      out.write(columns, end - start);
    }
  }

  private static void writeRows(
      Out out,
      List<VectorSchemaRoot> sources,
      Survivors chunk,
      int start,
      int end,
      BufferAllocator allocator) {
    int[] source = new int[end - start];
    int[] row = new int[end - start];
    int count = 0;
    for (int i = start; i < end; i++) {
      if (!chunk.isDelete(i)) {
        source[count] = chunk.sources()[i];
        row[count++] = chunk.rows()[i];
      }
    }
    try (VectorSchemaRoot gathered = ArrowRows.gather(sources, source, row, 0, count, allocator)) {
      out.write(gathered.getFieldVectors(), count);
    }
  }

  Reader open(KeyColumns key, BufferAllocator allocator) {
    return new Reader(this, key, allocator);
  }

  /// A stream being written.
  private static final class Out implements AutoCloseable {
    private final VectorSchemaRoot root;
    private final ArrowStreamWriter writer;

    /// @param channel the caller's
    Out(WritableByteChannel channel, Schema schema, BufferAllocator allocator) {
      root = VectorSchemaRoot.create(schema, allocator);
      writer = new ArrowStreamWriter(root, null, channel);
    }

    /// Takes the buffers of the columns for the time of the call.
    void write(List<FieldVector> columns, int rows) {
      for (int c = 0; c < columns.size(); c++) {
        columns.get(c).makeTransferPair(root.getVector(c)).transfer();
      }
      root.setRowCount(rows);
      try {
        writer.writeBatch();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write a sorted run", e);
      } finally {
        root.clear();
      }
    }

    @Override
    public void close() {
      writer.close();
      root.close();
    }
  }

  /// Reads a run from its beginning, batch by batch.
  static final class Reader implements AutoCloseable {
    private final KeyColumns key;
    private final BufferAllocator allocator;
    private final ArrowStreamReader keysIn;
    private final ArrowStreamReader rowsIn;

    private Reader(Run run, KeyColumns key, BufferAllocator allocator) {
      this.key = key;
      this.allocator = allocator;
      this.keysIn = new ArrowStreamReader(open(run.keys), allocator);
      try (Undo undo = new Undo(() -> close(keysIn))) {
        this.rowsIn = new ArrowStreamReader(open(run.rows), allocator);
        undo.keep();
      }
    }

    private static InputStream open(Path path) {
      try {
        return new BufferedInputStream(Files.newInputStream(path), 1 << 16);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot open " + path, e);
      }
    }

    /// The next batch, which the caller closes; null at the end.
    @Nullable Batch next() {
      try {
        if (!keysIn.loadNextBatch() || !rowsIn.loadNextBatch()) {
          return null;
        }
        VectorSchemaRoot all = keysIn.getVectorSchemaRoot();
        byte[] flags = new byte[all.getRowCount()];
        all.getVector(FLAGS).getDataBuffer().getBytes(0, flags);
        VectorSchemaRoot taken = ArrowRows.take(all, allocator);
        VectorSchemaRoot keyRows = taken.removeVector(taken.getFieldVectors().size() - 1);
        taken.getVector(taken.getFieldVectors().size() - 1).close();
        VectorSchemaRoot rows = ArrowRows.take(rowsIn.getVectorSchemaRoot(), allocator);
        return new Batch(keyRows, key.encode(keyRows), flags, rows, ranks(flags));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read a sorted run", e);
      }
    }

    private static int[] ranks(byte[] flags) {
      int[] ranks = new int[flags.length];
      int next = 0;
      for (int i = 0; i < flags.length; i++) {
        ranks[i] = next;
        next += (flags[i] & DELETE) == 0 ? 1 : 0;
      }
      return ranks;
    }

    @Override
    public void close() {
      try {
        close(keysIn);
      } finally {
        close(rowsIn);
      }
    }

    private static void close(ArrowStreamReader in) {
      try {
        in.close();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot close a sorted run", e);
      }
    }
  }
}
