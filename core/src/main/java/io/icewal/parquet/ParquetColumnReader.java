package io.icewal.parquet;

import io.icewal.model.ArrowSchemas;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.Schema;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.parquet.ParquetSchemaUtil;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/// Reads a Parquet file as canonical Arrow rows of a projection, column by column.
///
/// Columns are found by field id (or by a name mapping in files without ids; without one by place,
/// as Iceberg does), nested ones too. A column that the file does not have is its identity
/// partition value, else its initial default, else null; one of an older type is promoted. The
/// metadata columns `_pos`, `_file`, `_spec_id`, `_row_id` and `_last_updated_sequence_number` may
/// be projected. Files of any writer are read: V1 and V2 pages, every encoding and codec that
/// parquet-java knows.
///
/// Ownership: the batch that [#next] returns belongs to the reader and is valid until the next call
/// of [#next] or [#close]; [ArrowRows#take] moves its buffers into a root of the caller. Not
/// thread-safe.
public final class ParquetColumnReader implements AutoCloseable {
  /// A batch of wide rows has fewer of them, so that its vectors stay below about this.
  private static final long BATCH_BYTES_MAX = 32L << 20;

  /// Rows that are read before a look at their bytes, where the file does not tell.
  private static final int CAREFUL_ROWS = 64;

  private final String location;
  private final ReadContext context;
  private final BufferAllocator allocator;
  private final ParquetFileReader file;
  private final List<Field> fields;
  private final List<ReadNode> columns;
  private final List<LeafReader> leaves;
  private final List<Group> groups = new ArrayList<>();
  private final BatchRows rows = new BatchRows();
  private int nextGroup;
  private @Nullable Group group;
  private @Nullable PageReadStore pages;
  private long groupRow;
  private int selected;
  private boolean mayExpand;
  private @Nullable VectorSchemaRoot batch;

  /// A row group and the file row number of its first row.
  private record Group(int index, long firstRow, long rowCount, int batchRows) {
    long endRow() {
      return firstRow + rowCount;
    }
  }

  private ParquetColumnReader(
      String location,
      ParquetFileReader file,
      Schema projection,
      ReadContext context,
      BufferAllocator allocator) {
    this.location = location;
    this.file = file;
    this.context = context;
    this.allocator = allocator;
    this.fields = ArrowSchemas.toArrow(projection).getFields();
    ReadTree tree = new ReadTree(withIds(file.getFileMetaData().getSchema()), context, rows);
    this.columns = tree.columns(projection);
    this.leaves = List.copyOf(tree.leaves());
    file.setRequestedSchema(leaves.stream().map(LeafReader::column).toList());
    chooseGroups();
  }

  /// @param projection the wanted columns with the table's current types and defaults
  public static ParquetColumnReader open(
      InputFile in, Schema projection, ReadContext context, BufferAllocator allocator) {
    ParquetFileReader file;
    try {
      file = ParquetFileReader.open(IcebergFiles.input(in), IcebergFiles.readOptions());
    } catch (IOException | RuntimeException e) {
      throw ReadFailure.of("data file " + in.location(), e);
    }
    try {
      return new ParquetColumnReader(in.location(), file, projection, context, allocator);
    } catch (RuntimeException | Error e) {
      closeQuietly(file, e);
      throw e;
    }
  }

  private static void closeQuietly(ParquetFileReader file, Throwable cause) {
    try {
      file.close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  private MessageType withIds(MessageType schema) {
    if (ParquetSchemaUtil.hasIds(schema)) {
      return schema;
    }
    return context.nameMapping() != null
        ? ParquetSchemaUtil.applyNameMapping(schema, context.nameMapping())
        : ParquetSchemaUtil.addFallbackIds(schema);
  }

  private void chooseGroups() {
    List<BlockMetaData> all = file.getRowGroups();
    long firstRow = 0;
    for (int i = 0; i < all.size(); i++) {
      BlockMetaData block = all.get(i);
      Group candidate = new Group(i, firstRow, block.getRowCount(), batchRows(block));
      if (isInSplit(block) && isSelected(candidate)) {
        groups.add(candidate);
      }
      firstRow += block.getRowCount();
    }
  }

  private int batchRows(BlockMetaData block) {
    long bytes = 0;
    for (ColumnChunkMetaData chunk : block.getColumns()) {
      for (LeafReader leaf : leaves) {
        if (chunk.getPath().equals(ColumnPath.get(leaf.column().getPath()))) {
          bytes += chunk.getTotalUncompressedSize();
        }
      }
    }
    long bytesPerRow = Math.max(1, bytes / Math.max(1, block.getRowCount()));
    return (int) Math.max(1, Math.min(context.batchRows(), BATCH_BYTES_MAX / bytesPerRow));
  }

  /// A row group belongs to the split in which its middle lies, as in parquet-java.
  private boolean isInSplit(BlockMetaData block) {
    long middle = block.getStartingPos() + block.getCompressedSize() / 2;
    return middle >= context.start() && middle - context.start() < context.length();
  }

  private boolean isSelected(Group candidate) {
    long[] wanted = context.rows();
    if (wanted == null) {
      return candidate.rowCount > 0;
    }
    int from = firstAtLeast(wanted, candidate.firstRow);
    return from < wanted.length && wanted[from] < candidate.endRow();
  }

  private static int firstAtLeast(long[] sorted, long value) {
    int found = Arrays.binarySearch(sorted, value);
    return found >= 0 ? found : -found - 1;
  }

  /// The next rows, at least one; null at the end.
  public @Nullable VectorSchemaRoot next() {
    closeBatch();
    try {
      while (group == null || groupRow == group.endRow()) {
        if (nextGroup == groups.size()) {
          return null;
        }
        openGroup(groups.get(nextGroup++));
      }
      readRows(group);
      batch = assemble();
      return batch;
    } catch (IOException | RuntimeException e) {
      throw ReadFailure.of("data file " + location, e);
    }
  }

  private void openGroup(Group next) throws IOException {
    closePages();
    group = next;
    groupRow = next.firstRow;
    long[] wanted = context.rows();
    if (wanted != null) {
      selected = firstAtLeast(wanted, next.firstRow);
    }
    if (leaves.isEmpty()) {
      return;
    }
    RowRanges ranges = wanted == null ? null : ranges(next, wanted);
    pages =
        ranges == null
            ? file.readRowGroup(next.index)
            : file.readFilteredRowGroup(next.index, ranges);
    mayExpand = false;
    for (LeafReader leaf : leaves) {
      leaf.open(pages.getPageReader(leaf.column()));
      mayExpand |= leaf.mayExpand(BATCH_BYTES_MAX / next.batchRows);
    }
  }

  /// The rows of the pages, in the column of most pages, that hold a wanted row; null where a
  /// column has no offset index.
  private @Nullable RowRanges ranges(Group of, long[] wanted) throws IOException {
    OffsetIndex finest = null;
    for (ColumnChunkMetaData chunk : file.getRowGroups().get(of.index).getColumns()) {
      for (LeafReader leaf : leaves) {
        if (chunk.getPath().equals(ColumnPath.get(leaf.column().getPath()))) {
          OffsetIndex index = file.readOffsetIndex(chunk);
          if (index == null) {
            return null;
          }
          finest = finest == null || index.getPageCount() > finest.getPageCount() ? index : finest;
        }
      }
    }
    OffsetIndex index = Objects.requireNonNull(finest);
    int first = selected;
    IntStream holding =
        IntStream.range(0, index.getPageCount())
            .filter(
                page -> {
                  int from = firstAtLeast(wanted, of.firstRow + index.getFirstRowIndex(page));
                  long last = of.firstRow + index.getLastRowIndex(page, of.rowCount);
                  return from >= first && from < wanted.length && wanted[from] <= last;
                });
    return RowRanges.create(of.rowCount, holding.iterator(), index);
  }

  private void readRows(Group from) {
    rows.clear();
    leaves.forEach(LeafReader::clear);
    long[] wanted = context.rows();
    if (wanted == null) {
      readRun(from, groupRow, Math.min(from.batchRows, from.endRow() - groupRow));
      return;
    }
    while (rows.count() < from.batchRows
        && !isFull()
        && selected < wanted.length
        && wanted[selected] < from.endRow()) {
      int end = selected + 1;
      while (end < wanted.length
          && wanted[end] == wanted[end - 1] + 1
          && wanted[end] < from.endRow()
          && end - selected < from.batchRows - rows.count()) {
        end++;
      }
      selected += readRun(from, wanted[selected], end - selected);
    }
    if (selected == wanted.length || wanted[selected] >= from.endRow()) {
      groupRow = from.endRow();
    }
  }

  /// Reads up to so many rows, fewer where the batch is full of bytes before; says how many.
  private int readRun(Group from, long start, long count) {
    int done = 0;
    while (done < count && !isFull()) {
      int step = (int) Math.min(count - done, mayExpand ? CAREFUL_ROWS : count);
      rows.add(start + done, step);
      for (LeafReader leaf : leaves) {
        leaf.read(start + done - from.firstRow, step);
      }
      done += step;
    }
    groupRow = start + done;
    return done;
  }

  private boolean isFull() {
    if (!mayExpand) {
      return false;
    }
    long bytes = 0;
    for (LeafReader leaf : leaves) {
      bytes += leaf.values().bytes();
    }
    return bytes >= BATCH_BYTES_MAX;
  }

  private VectorSchemaRoot assemble() {
    List<FieldVector> vectors = new ArrayList<>();
    try {
      for (ReadNode column : columns) {
        vectors.add(column.read(rows.count(), allocator));
      }
    } catch (RuntimeException | Error e) {
      vectors.forEach(FieldVector::close);
      throw e;
    }
    return new VectorSchemaRoot(fields, vectors, rows.count());
  }

  /// File row number of the current batch's row 0.
  public long firstRow() {
    return row(0);
  }

  /// File row number of a row of the current batch.
  public long row(int index) {
    return rows.row(index);
  }

  private void closeBatch() {
    if (batch != null) {
      batch.close();
      batch = null;
    }
  }

  private void closePages() {
    if (pages != null) {
      pages.close();
      pages = null;
    }
  }

  @Override
  public void close() {
    closeBatch();
    closePages();
    try {
      file.close();
    } catch (IOException e) {
      throw ReadFailure.of("data file " + location, e);
    }
  }
}
