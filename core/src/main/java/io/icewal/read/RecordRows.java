package io.icewal.read;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.table.RecordColumns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.jspecify.annotations.Nullable;

/// The rows of a data file that only Iceberg's own readers can read: other formats than Parquet,
/// and files with equality deletes of other engines. Row by row, with all deletes of the table
/// applied; what the tail hides is found by looking up each row's key.
final class RecordRows implements RowSource {
  private static final int BATCH_ROWS = 1024;

  private final CloseableIterable<Record> records;
  private final CloseableIterator<Record> iterator;
  private final RecordColumns columns;
  private final KeyColumns key;
  private final KeySlice slice;
  private final BufferAllocator allocator;
  private @Nullable VectorSchemaRoot batch;

  /// @param records closed with this
  /// @param recordSchema the form of the records
  /// @param read the wanted columns, the key's among them if the slice is not empty
  RecordRows(
      CloseableIterable<Record> records,
      Schema recordSchema,
      Schema read,
      KeyColumns key,
      KeySlice slice,
      BufferAllocator allocator) {
    this.records = records;
    this.iterator = records.iterator();
    this.columns = new RecordColumns(recordSchema, read);
    this.key = key;
    this.slice = slice;
    this.allocator = allocator;
  }

  @Override
  public @Nullable Batch next() {
    closeBatch();
    List<Record> rows = new ArrayList<>();
    while (rows.size() < BATCH_ROWS && iterator.hasNext()) {
      rows.add(iterator.next());
    }
    if (rows.isEmpty()) {
      return null;
    }
    VectorSchemaRoot root = columns.write(rows, allocator);
    batch = root;
    return new Batch(root, hidden(root));
  }

  private @Nullable BitSet hidden(VectorSchemaRoot rows) {
    if (slice.isEmpty()) {
      return null;
    }
    BitSet keyless = new BitSet();
    KeyVector keys = key.encode(rows, keyless);
    BitSet hidden = new BitSet(keys.size());
    for (int i = keyless.nextClearBit(0); i < keys.size(); i = keyless.nextClearBit(i + 1)) {
      hidden.set(i, slice.contains(keys, i));
    }
    return hidden;
  }

  private void closeBatch() {
    if (batch != null) {
      batch.close();
      batch = null;
    }
  }

  @Override
  public void close() {
    closeBatch();
    try (records) {
      iterator.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
