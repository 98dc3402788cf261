package io.icewal.parquet;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.parquet.ParquetSchemaUtil;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.internal.column.columnindex.BoundaryOrder;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/// Reads a [KeyFileIndex].
///
/// 1. Footer and page index come with one read of the file's tail, sized by its rows.
/// 2. A file counts as sorted if it says so for this very key, its key columns have page indexes
///    that end at the same rows, and their bounds do ascend. (Tools that glue row groups together
///    keep the mark, but not the order.)
/// 3. A page's bounds are those of its components, one after the other. As the file is sorted, the
///    largest lower bound up to a page is one too, and the smallest upper bound from it on: so both
///    are made to ascend.
final class KeyFileIndexReader {
  private static final int TAIL_BYTES_MIN = 32 << 10;

  /// Bytes of the page index for a page of a searchable column of eight bytes.
  private static final int INDEX_BYTES_PER_PAGE = 40;

  private static final int TAIL_BYTES_MAX = 8 << 20;

  private final KeyColumns key;
  private final BufferAllocator allocator;

  KeyFileIndexReader(KeyColumns key, BufferAllocator allocator) {
    this.key = key;
    this.allocator = allocator;
  }

  /// The file with its footer and page index in memory: a small file as a whole.
  TailInputFile tail(InputFile in, long fileBytes, long rows) throws IOException {
    long pages = rows / WriteTree.SEARCHABLE_PAGE_ROWS * (key.fieldIds().size() + 1);
    long tail = Math.min(TAIL_BYTES_MAX, TAIL_BYTES_MIN + pages * INDEX_BYTES_PER_PAGE);
    return new TailInputFile(in, fileBytes, (int) tail);
  }

  KeyFileIndex read(TailInputFile in) throws IOException {
    try (ParquetFileReader file =
        ParquetFileReader.open(IcebergFiles.input(in), IcebergFiles.readOptions())) {
      return read(file);
    }
  }

  private KeyFileIndex read(ParquetFileReader file) throws IOException {
    MessageType schema = file.getFileMetaData().getSchema();
    boolean hasRowIds = ParquetSchemaUtil.hasIds(schema) && rowIds(schema) != null;
    RowGroups rowGroups = RowGroups.of(file.getRowGroups());
    KeyFileIndex unsorted = new KeyFileIndex(false, hasRowIds, rowGroups, List.of());
    String mark = file.getFileMetaData().getKeyValueMetaData().get(ParquetColumnWriter.SORTED_BY);
    String wanted = key.fieldIds().stream().map(String::valueOf).collect(Collectors.joining(","));
    List<KeyLeaf> leaves = wanted.equals(mark) ? KeyLeaf.of(key.keySchema(), schema) : null;
    if (leaves == null) {
      return unsorted;
    }
    List<KeyFileIndex.Group> groups = new ArrayList<>();
    KeyLeaf leading = leaves.get(leading(leaves));
    long firstRow = 0;
    Statistics<?> last = null;
    for (BlockMetaData block : file.getRowGroups()) {
      KeyFileIndex.Group group = group(file, block, leaves, firstRow, rowIds(schema));
      Statistics<?> next = chunk(block, leading.column()).getStatistics();
      if (group == null || !ascends(last, next, leading.stored())) {
        return unsorted;
      }
      groups.add(group);
      last = next;
      firstRow += block.getRowCount();
    }
    return new KeyFileIndex(true, hasRowIds, rowGroups, groups);
  }

  /// The leaf by which rows are sorted first: that of the lowest field id, wherever it stands.
  private int leading(List<KeyLeaf> leaves) {
    int first = key.fieldIds().get(0);
    return IntStream.range(0, leaves.size())
        .filter(i -> leaves.get(i).field().fieldId() == first)
        .findFirst()
        .orElseThrow();
  }

  private static @Nullable ColumnDescriptor rowIds(MessageType schema) {
    for (ColumnDescriptor column : schema.getColumns()) {
      PrimitiveType type = column.getPrimitiveType();
      if (type.getId() != null && type.getId().intValue() == MetadataColumns.ROW_ID.fieldId()) {
        return column;
      }
    }
    return null;
  }

  /// Row groups must not overlap in the leading key column.
  private static boolean ascends(
      @Nullable Statistics<?> last, Statistics<?> next, PrimitiveType type) {
    if (!next.hasNonNullValue()) {
      return false;
    }
    return last == null || compare(type, last.genericGetMax(), next.genericGetMin()) <= 0;
  }

  private static <T> int compare(PrimitiveType type, T one, T other) {
    return type.<T>comparator().compare(one, other);
  }

  private KeyFileIndex.@Nullable Group group(
      ParquetFileReader file,
      BlockMetaData block,
      List<KeyLeaf> leaves,
      long firstRow,
      @Nullable ColumnDescriptor rowIds)
      throws IOException {
    List<KeyFileIndex.Column> columns = new ArrayList<>();
    List<ColumnIndex> indexes = new ArrayList<>();
    OffsetIndex first = null;
    for (KeyLeaf leaf : leaves) {
      ColumnChunkMetaData chunk = chunk(block, leaf.column());
      OffsetIndex offsets = file.readOffsetIndex(chunk);
      ColumnIndex bounds = file.readColumnIndex(chunk);
      if (offsets == null || bounds == null || bounds.getNullPages().contains(true)) {
        return null;
      }
      first = first == null ? offsets : first;
      if (!isSearchable(chunk) || !sameRows(first, offsets)) {
        return null;
      }
      columns.add(column(leaf.column(), chunk, offsets));
      indexes.add(bounds);
    }
    if (first == null
        || indexes.get(leading(leaves)).getBoundaryOrder() != BoundaryOrder.ASCENDING) {
      return null;
    }
    KeyVector lower = bounds(leaves, indexes.stream().map(ColumnIndex::getMinValues).toList());
    KeyVector upper = bounds(leaves, indexes.stream().map(ColumnIndex::getMaxValues).toList());
    return new KeyFileIndex.Group(
        firstRow,
        block.getRowCount(),
        columns,
        rowIds == null ? null : rowIdColumn(file, block, rowIds, first),
        pageRows(first),
        lower.gather(runningMax(lower)),
        upper.gather(runningMin(upper)));
  }

  private static ColumnChunkMetaData chunk(BlockMetaData block, ColumnDescriptor column) {
    ColumnPath path = ColumnPath.get(column.getPath());
    for (ColumnChunkMetaData chunk : block.getColumns()) {
      if (chunk.getPath().equals(path)) {
        return chunk;
      }
    }
    throw new IllegalStateException("row group without column " + path.toDotString());
  }

  private static boolean isSearchable(ColumnChunkMetaData chunk) {
    return !chunk.hasDictionaryPage()
        && (chunk.getCodec() == CompressionCodecName.UNCOMPRESSED
            || chunk.getCodec() == CompressionCodecName.ZSTD);
  }

  private static boolean sameRows(OffsetIndex one, OffsetIndex other) {
    return Arrays.equals(pageRows(one), pageRows(other));
  }

  private static long[] pageRows(OffsetIndex offsets) {
    long[] rows = new long[offsets.getPageCount()];
    for (int page = 0; page < rows.length; page++) {
      rows[page] = offsets.getFirstRowIndex(page);
    }
    return rows;
  }

  private static KeyFileIndex.Column column(
      ColumnDescriptor descriptor, ColumnChunkMetaData chunk, OffsetIndex index) {
    long[] offsets = new long[index.getPageCount()];
    int[] sizes = new int[offsets.length];
    for (int page = 0; page < offsets.length; page++) {
      offsets[page] = index.getOffset(page);
      sizes[page] = index.getCompressedPageSize(page);
    }
    return new KeyFileIndex.Column(descriptor, chunk.getCodec(), offsets, sizes);
  }

  private static KeyFileIndex.@Nullable Column rowIdColumn(
      ParquetFileReader file, BlockMetaData block, ColumnDescriptor rowIds, OffsetIndex keys)
      throws IOException {
    ColumnChunkMetaData chunk = chunk(block, rowIds);
    OffsetIndex offsets = file.readOffsetIndex(chunk);
    return offsets != null && isSearchable(chunk) && sameRows(keys, offsets)
        ? column(rowIds, chunk, offsets)
        : null;
  }

  /// Keys made of each page's bounds.
  private KeyVector bounds(List<KeyLeaf> leaves, List<List<ByteBuffer>> values) {
    int pages = values.get(0).size();
    List<ValueStore> stores = new ArrayList<>();
    for (int i = 0; i < leaves.size(); i++) {
      ValueStore store = leaves.get(i).store();
      store.plain(plain(leaves.get(i).stored(), values.get(i)), pages);
      stores.add(store);
    }
    return KeyLeaf.encode(key, stores, pages, allocator);
  }

  /// Bounds as a page would hold them. A bound that was cut is filled up with zeros: a cut lower
  /// bound stays below, a cut upper one was raised in its last byte.
  private static PageInput plain(PrimitiveType type, List<ByteBuffer> values) {
    PageBuffer page = new PageBuffer();
    if (type.getPrimitiveTypeName() == PrimitiveTypeName.BOOLEAN) {
      return booleans(values);
    }
    for (ByteBuffer value : values) {
      int length = value.remaining();
      if (type.getPrimitiveTypeName() == PrimitiveTypeName.BINARY) {
        page.putInt(length);
      }
      int fixed = Math.max(length, type.getTypeLength());
      page.ensure(fixed);
      value.duplicate().get(page.bytes, page.size, length);
      Arrays.fill(page.bytes, page.size + length, page.size + fixed, (byte) 0);
      page.size += fixed;
    }
    return new PageInput(page.bytes, 0, page.size);
  }

  private static PageInput booleans(List<ByteBuffer> values) {
    byte[] bits = new byte[(values.size() + 7) / Byte.SIZE];
    for (int i = 0; i < values.size(); i++) {
      ByteBuffer value = values.get(i);
      bits[i / Byte.SIZE] |= (byte) (value.get(value.position()) << (i % Byte.SIZE));
    }
    return new PageInput(bits, 0, bits.length);
  }

  private static int[] runningMax(KeyVector keys) {
    int[] best = new int[keys.size()];
    for (int i = 1; i < best.length; i++) {
      best[i] = keys.compare(i, keys, best[i - 1]) > 0 ? i : best[i - 1];
    }
    return best;
  }

  private static int[] runningMin(KeyVector keys) {
    int[] best = new int[keys.size()];
    for (int i = best.length - 1; i >= 0; i--) {
      boolean last = i == best.length - 1;
      best[i] = last || keys.compare(i, keys, best[i + 1]) < 0 ? i : best[i + 1];
    }
    return best;
  }
}
