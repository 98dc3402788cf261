package io.icewal.parquet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ValuesType;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.values.ValuesReader;
import org.jspecify.annotations.Nullable;

/// Reads one leaf column of a row group, rows in ascending order: pages become levels and values of
/// the current batch.
final class LeafReader {
  private final ColumnDescriptor column;
  private final int repetitionMax;
  private final int definitionMax;
  private final ValueStore values;

  /// Levels of the batch; definition levels only once one is below the maximum, if not repeated.
  private final LevelList repetition = new LevelList();

  private final LevelList definition = new LevelList();
  private int levels;
  private boolean allPresent = true;

  private @Nullable PageReader pages;
  private @Nullable ValueStore dictionary;
  private @Nullable PageLevels page;
  private @Nullable PageInput plain;
  private @Nullable HybridDecoder ids;
  private @Nullable ValuesReader decoder;
  private int[] idScratch = new int[0];
  private long nextRow;
  private boolean lastRowSkipped;

  LeafReader(ColumnDescriptor column, ValueStore values) {
    this.column = column;
    this.repetitionMax = column.getMaxRepetitionLevel();
    this.definitionMax = column.getMaxDefinitionLevel();
    this.values = values;
  }

  ColumnDescriptor column() {
    return column;
  }

  /// Begins a row group.
  void open(PageReader newPages) {
    pages = newPages;
    page = null;
    nextRow = 0;
    DictionaryPage dictionaryPage = newPages.readDictionaryPage();
    dictionary = null;
    if (dictionaryPage != null) {
      dictionary = values.emptyCopy();
      dictionary.plain(
          PageInput.of(bytes(dictionaryPage.getBytes())), dictionaryPage.getDictionarySize());
    }
  }

  /// Whether rows of the group may hold far more bytes than their pages: one value of a dictionary
  /// is stored once, and stands in each row that has it.
  ///
  /// @param rowBytes what a row may hold
  boolean mayExpand(long rowBytes) {
    ValueStore distinct = dictionary;
    return distinct != null
        && (repetitionMax > 0 || distinct.longestBytes() > rowBytes)
        && distinct.longestBytes() > Long.BYTES;
  }

  private static ByteBuffer bytes(BytesInput input) {
    try {
      return input.toByteBuffer();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Lets go of the row group's pages; the values stay.
  void release() {
    pages = null;
    page = null;
    dictionary = null;
    plain = null;
    ids = null;
    decoder = null;
  }

  /// Begins a batch.
  void clear() {
    values.clear();
    repetition.clear();
    definition.clear();
    levels = 0;
    allPresent = true;
  }

  /// Reads `rows` rows from row `first` of the row group; rows before it are skipped.
  void read(long first, int rows) {
    long end = first + rows;
    while (nextRow < end) {
      PageLevels current = page;
      if (current == null || current.isDone()) {
        if (!loadPage()) {
          throw new IllegalStateException(
              "column " + String.join(".", column.getPath()) + " ends before row " + nextRow);
        }
        continue;
      }
      boolean skip = nextRow < first;
      int from = current.position();
      nextRow += current.advance((skip ? first : end) - nextRow);
      take(current, from, skip);
    }
    // Values of the last row go on in the next page if the writer cuts pages within rows.
    while (repetitionMax > 0 && Objects.requireNonNull(page).isDone() && loadPage()) {
      continue;
    }
  }

  /// Goes to the next page; takes what belongs to the row that the last one ended in.
  private boolean loadPage() {
    DataPage next = Objects.requireNonNull(pages).readPage();
    if (next == null) {
      return false;
    }
    startPage(next);
    PageLevels started = Objects.requireNonNull(page);
    if (started.startsWithinRow()) {
      started.advance(0);
      take(started, 0, lastRowSkipped);
    } else {
      next.getFirstRowIndex().ifPresent(row -> nextRow = Math.max(nextRow, row));
    }
    return true;
  }

  private void take(PageLevels current, int from, boolean skip) {
    lastRowSkipped = skip;
    int to = current.position();
    if (skip) {
      skipValues(current.present(from, to));
    } else {
      readLevels(current, from, to);
    }
  }

  private void readLevels(PageLevels current, int from, int to) {
    int present = current.present(from, to);
    if (repetitionMax > 0) {
      repetition.add(Objects.requireNonNull(current.repetition()), from, to);
    }
    if (repetitionMax > 0 || present < to - from || !allPresent) {
      if (allPresent && repetitionMax == 0) {
        definition.fill(definitionMax, levels);
      }
      allPresent = false;
      int[] definitions = current.definition();
      if (definitions == null) {
        definition.fill(definitionMax, to - from);
      } else {
        definition.add(definitions, from, to);
      }
    }
    levels += to - from;
    readValues(present);
  }

  private void readValues(int count) {
    if (ids != null) {
      readIds(count);
      values.pick(Objects.requireNonNull(dictionary), idScratch, count);
    } else if (decoder != null) {
      values.decode(decoder, count);
    } else {
      values.plain(Objects.requireNonNull(plain), count);
    }
  }

  private void skipValues(int count) {
    if (ids != null) {
      readIds(count);
    } else if (decoder != null) {
      decoder.skip(count);
    } else {
      values.skipPlain(Objects.requireNonNull(plain), count);
    }
  }

  private void readIds(int count) {
    if (idScratch.length < count) {
      idScratch = new int[count];
    }
    Objects.requireNonNull(ids).read(idScratch, count);
  }

  private void startPage(DataPage next) {
    try {
      if (next instanceof DataPageV1 v1) {
        startV1(v1);
      } else {
        startV2((DataPageV2) next);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void startV1(DataPageV1 v1) throws IOException {
    ByteBufferInputStream in = v1.getBytes().toInputStream();
    int count = v1.getValueCount();
    int[] repetitions =
        PageLevels.readV1(v1.getRlEncoding(), column, ValuesType.REPETITION_LEVEL, count, in);
    int[] definitions =
        PageLevels.readV1(v1.getDlEncoding(), column, ValuesType.DEFINITION_LEVEL, count, in);
    page = new PageLevels(repetitions, definitions, definitionMax, count);
    startValues(v1.getValueEncoding(), count, in);
  }

  private void startV2(DataPageV2 v2) throws IOException {
    int count = v2.getValueCount();
    int[] repetitions =
        PageLevels.readRuns(
            PageInput.of(bytes(v2.getRepetitionLevels())),
            repetitionMax,
            count,
            ValuesType.REPETITION_LEVEL);
    int[] definitions =
        PageLevels.readRuns(
            PageInput.of(bytes(v2.getDefinitionLevels())),
            definitionMax,
            count,
            ValuesType.DEFINITION_LEVEL);
    page = new PageLevels(repetitions, definitions, definitionMax, count);
    startValues(v2.getDataEncoding(), count, v2.getData().toInputStream());
  }

  private void startValues(Encoding encoding, int count, ByteBufferInputStream in)
      throws IOException {
    plain = null;
    ids = null;
    decoder = null;
    if (encoding == Encoding.PLAIN) {
      plain = PageInput.of(in.slice(in.available()));
    } else if (encoding.usesDictionary()) {
      PageInput input = PageInput.of(in.slice(in.available()));
      int width = input.position < input.end ? input.bytes[input.take(1)] : 0;
      ids = new HybridDecoder(input.bytes, input.position, input.end, width);
    } else {
      decoder = encoding.getValuesReader(column, ValuesType.VALUES);
      decoder.initFromPage(count, in);
    }
  }

  /// Entries of the batch: one a row, or one a slot where the column is repeated.
  int levels() {
    return levels;
  }

  /// Whether every entry has a value; then there are no definition levels to ask for.
  boolean allPresent() {
    return allPresent;
  }

  int repetition(int entry) {
    return repetitionMax == 0 ? 0 : repetition.get(entry);
  }

  int definition(int entry) {
    return allPresent ? definitionMax : definition.get(entry);
  }

  int definitionMax() {
    return definitionMax;
  }

  ValueStore values() {
    return values;
  }

  /// Growable levels.
  private static final class LevelList {
    private byte[] levels = new byte[256];
    private int size;

    void add(int[] from, int start, int end) {
      ensure(end - start);
      for (int i = start; i < end; i++) {
        levels[size++] = (byte) from[i];
      }
    }

    void fill(int level, int count) {
      ensure(count);
      Arrays.fill(levels, size, size + count, (byte) level);
      size += count;
    }

    private void ensure(int more) {
      if (size + more > levels.length) {
        levels = Arrays.copyOf(levels, Math.max(size + more, 2 * levels.length));
      }
    }

    int get(int index) {
      return levels[index];
    }

    void clear() {
      size = 0;
    }
  }
}
