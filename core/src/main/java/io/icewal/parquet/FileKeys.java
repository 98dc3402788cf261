package io.icewal.parquet;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.parquet.column.page.PageReader;
import org.jspecify.annotations.Nullable;

/// The keys of one data file: which of a batch's sorted keys it has, and in which rows.
///
/// In a file of ours, by random access:
/// 1. Footer and page index (one read) give bounds for each page of the key columns.
/// 2. The batch's keys are merged with the bounds: the pages that can hold one are the candidates.
/// 3. Candidates are read, near ones by one request, and their keys merged with the batch's.
///
/// So the cost is in proportion to the keys and the pages they can touch. Of any other file (not
/// sorted, keys more than once) the key columns are read as a whole, a batch at a time; a row with
/// a null in its key is no match of any.
///
/// Used by one thread; the cache may be shared.
public final class FileKeys implements AutoCloseable {
  /// What [#rowIds] gives for a row that has no row id yet.
  public static final long NO_ROW_ID = -1;

  /// Pages decoded at a time: 128 K rows of keys.
  private static final int PAGES_PER_STEP = 256;

  /// Rows of a file of others that are sorted at a time.
  private static final int SCAN_ROWS = 1 << 16;

  private static final Schema ROW_ID = new Schema(MetadataColumns.ROW_ID);

  private final DataFile file;
  private final KeyColumns key;
  private final ReadContext context;
  private final KeyPageCache cache;
  private final String cacheKey;
  private final BufferAllocator allocator = new RootAllocator();
  private final List<LeafReader> leaves = new ArrayList<>();
  private InputFile in;
  private @Nullable PageFetcher fetcher;
  private @Nullable KeyFileIndex loaded;

  /// Every copy of every key that was found, by ascending key, then row.
  ///
  /// @param keyIndex index in the sorted keys that were searched for
  /// @param row file row number
  public record Matches(int count, int[] keyIndex, long[] row) {}

  private FileKeys(
      InputFile in, DataFile file, KeyColumns key, ReadContext context, KeyPageCache cache) {
    this.in = in;
    this.file = file;
    this.key = key;
    this.context = context;
    this.cache = cache;
    // Types are part of it: a promotion from date to timestamp changes how keys are encoded.
    this.cacheKey = key.keySchema().asStruct().toString();
  }

  /// The keys of a file of ours, or of one that holds its key columns under their field ids.
  public static FileKeys open(InputFile in, DataFile file, KeyColumns key, KeyPageCache cache) {
    return open(in, file, key, ReadContext.plain(), cache);
  }

  /// The keys of any data file.
  ///
  /// @param context as for reading it ([ReadContext#of])
  public static FileKeys open(
      InputFile in, DataFile file, KeyColumns key, ReadContext context, KeyPageCache cache) {
    FileKeys keys = new FileKeys(in, file, key, context, cache);
    try {
      keys.load();
      return keys;
    } catch (IOException | RuntimeException e) {
      keys.close();
      throw ReadFailure.of("data file " + file.location(), e);
    }
  }

  private void load() throws IOException {
    KeyPageCache.Place place = place(-1, -1);
    KeyFileIndex known = cache.index(place);
    if (known == null) {
      KeyFileIndexReader reader = new KeyFileIndexReader(key, allocator);
      TailInputFile tailed = reader.tail(in, file.fileSizeInBytes(), file.recordCount());
      known = reader.read(tailed);
      cache.put(place, known);
      in = tailed; // Pages in it need no request of their own: a small file is read once.
    }
    loaded = known;
  }

  private PageFetcher fetcher() {
    PageFetcher known = fetcher;
    if (known == null) {
      known = new PageFetcher(in);
      fetcher = known;
    }
    return known;
  }

  private KeyFileIndex index() {
    return Objects.requireNonNull(loaded);
  }

  private KeyPageCache.Place place(int group, int page) {
    return new KeyPageCache.Place(file.location(), cacheKey, group, page);
  }

  /// Whether keys are found by random access.
  public boolean isSearchable() {
    return index().sorted();
  }

  /// Where the row groups of the file begin, whoever wrote it.
  public RowGroups rowGroups() {
    return index().rowGroups();
  }

  /// Finds the keys `from` to `to` (exclusive) of the sorted keys.
  public Matches find(KeyVector sortedKeys, int from, int to) {
    try {
      return index().sorted() ? search(sortedKeys, from, to) : scan(sortedKeys, from, to);
    } catch (IOException | RuntimeException e) {
      throw ReadFailure.of("data file " + file.location(), e);
    }
  }

  private Matches search(KeyVector keys, int from, int to) throws IOException {
    KeyMatcher matcher = new KeyMatcher(keys);
    for (int g = 0; g < index().groups().size(); g++) {
      KeyFileIndex.Group group = index().groups().get(g);
      List<KeyMatcher.Candidate> candidates = matcher.candidates(group, from, to);
      for (int start = 0; start < candidates.size(); start += PAGES_PER_STEP) {
        int end = Math.min(candidates.size(), start + PAGES_PER_STEP);
        matchPages(g, group, candidates.subList(start, end), matcher);
      }
    }
    return matcher.matches();
  }

  private void matchPages(
      int number,
      KeyFileIndex.Group group,
      List<KeyMatcher.Candidate> candidates,
      KeyMatcher matcher)
      throws IOException {
    @Nullable KeyVector[] pages = new KeyVector[candidates.size()];
    int[] missing = new int[pages.length];
    int count = 0;
    for (int i = 0; i < pages.length; i++) {
      KeyVector cached = cache.keys(place(number, candidates.get(i).page()));
      if (cached == null) {
        missing[count++] = candidates.get(i).page();
      } else {
        pages[i] = cached;
      }
    }
    KeyVector read = count == 0 ? null : readPages(group, Arrays.copyOf(missing, count));
    int row = 0;
    for (int i = 0; i < pages.length; i++) {
      int page = candidates.get(i).page();
      int rows = (int) (group.pageEnd(page) - group.pageRows()[page]);
      KeyVector keys = pages[i];
      if (keys == null && read != null) {
        // A slice would hold on to the whole.
        keys = read.copy(row, row + rows);
        cache.put(place(number, page), keys);
        row += rows;
      }
      if (keys == null) {
        throw new IllegalStateException("page " + page + " was not read");
      }
      matcher.match(keys, group.firstRow() + group.pageRows()[page], candidates.get(i));
    }
  }

  private KeyVector readPages(KeyFileIndex.Group group, int[] pages) throws IOException {
    int rows = 0;
    for (int page : pages) {
      rows += (int) (group.pageEnd(page) - group.pageRows()[page]);
    }
    List<LeafReader> columns = leaves(group);
    List<PageReader> readers = fetcher().fetch(group.columns(), pages);
    for (int i = 0; i < readers.size(); i++) {
      LeafReader leaf = columns.get(i);
      leaf.clear();
      leaf.open(readers.get(i));
      leaf.read(0, rows);
      leaf.release();
      if (leaf.values().count() != rows) {
        throw new IllegalStateException("key column " + leaf.column() + " has nulls");
      }
    }
    return KeyLeaf.encode(key, columns.stream().map(LeafReader::values).toList(), rows, allocator);
  }

  /// Readers of the key columns, which all row groups hold alike.
  private List<LeafReader> leaves(KeyFileIndex.Group group) {
    if (leaves.isEmpty()) {
      List<NestedField> fields = KeyLeaf.fields(key.keySchema());
      for (int i = 0; i < fields.size(); i++) {
        KeyLeaf leaf = new KeyLeaf(fields.get(i), group.columns().get(i).descriptor());
        leaves.add(new LeafReader(leaf.column(), leaf.store()));
      }
    }
    return leaves;
  }

  private Matches scan(KeyVector keys, int from, int to) {
    KeyMatcher matcher = new KeyMatcher(keys);
    ReadContext all = context.withBatchRows(SCAN_ROWS);
    try (ParquetColumnReader reader =
        ParquetColumnReader.open(in, key.keySchema(), all, allocator)) {
      for (VectorSchemaRoot rows = reader.next(); rows != null; rows = reader.next()) {
        BitSet nulls = new BitSet();
        KeyVector unsorted = key.encode(rows, nulls);
        int[] sorted = unsorted.sort();
        if (!nulls.isEmpty()) {
          sorted = Arrays.stream(sorted).filter(row -> !nulls.get(row)).toArray();
        }
        matcher.match(unsorted, sorted, reader.firstRow(), from, to);
      }
    }
    return matcher.matches();
  }

  /// The `_row_id` of the given rows, which ascend: what the file stores, else its first row id
  /// plus the row; [#NO_ROW_ID] where there is neither.
  public long[] rowIds(long[] sortedRows) {
    long[] ids = new long[sortedRows.length];
    Long first = file.firstRowId();
    for (int i = 0; i < ids.length; i++) {
      ids[i] = first == null ? NO_ROW_ID : first + sortedRows[i];
    }
    try {
      if (index().hasRowIds() && ids.length > 0) {
        readRowIds(sortedRows, ids);
      }
      return ids;
    } catch (IOException | RuntimeException e) {
      throw ReadFailure.of("data file " + file.location(), e);
    }
  }

  private void readRowIds(long[] rows, long[] ids) throws IOException {
    boolean searchable =
        index().sorted() && index().groups().stream().allMatch(group -> group.rowIds() != null);
    if (!searchable) {
      scanRowIds(rows, ids);
      return;
    }
    RowIdReader reader = new RowIdReader(fetcher(), allocator);
    for (KeyFileIndex.Group group : index().groups()) {
      int from = firstAtLeast(rows, group.firstRow());
      int to = firstAtLeast(rows, group.firstRow() + group.rowCount());
      KeyFileIndex.Column column = group.rowIds();
      if (column != null) {
        reader.read(group, column, rows, from, to, ids);
      }
    }
  }

  private static int firstAtLeast(long[] sorted, long value) {
    int found = Arrays.binarySearch(sorted, value);
    return found >= 0 ? found : -found - 1;
  }

  private void scanRowIds(long[] rows, long[] ids) {
    try (ParquetColumnReader reader =
        ParquetColumnReader.open(in, ROW_ID, ReadContext.plain().withRows(rows), allocator)) {
      int next = 0;
      for (VectorSchemaRoot root = reader.next(); root != null; root = reader.next()) {
        BigIntVector vector = (BigIntVector) root.getVector(0);
        for (int i = 0; i < root.getRowCount(); i++, next++) {
          if (!vector.isNull(i)) {
            ids[next] = vector.get(i);
          }
        }
      }
    }
  }

  @Override
  public void close() {
    try {
      if (fetcher != null) {
        fetcher.close();
      }
    } catch (IOException e) {
      throw ReadFailure.of("data file " + file.location(), e);
    } finally {
      allocator.close();
    }
  }
}
