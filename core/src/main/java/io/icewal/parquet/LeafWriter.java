package io.icewal.parquet;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.FieldMetrics;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.jspecify.annotations.Nullable;

/// Writes one leaf column: levels and values into pages, pages into the chunk of the row group.
/// Pages end between rows.
final class LeafWriter {
  /// Rows a page at most, as in parquet-java: filters by page index skip no finer than this.
  private static final int PAGE_ROWS_MAX = 20_000;

  private final ColumnDescriptor column;
  private final int fieldId;
  private final LeafEncoder encoder;
  private final Levels repetition;
  private final Levels definition;
  private final int definitionMax;
  private final ColumnPages pages;
  private final long pageBytes;
  private final int pageRowsMax;
  private final PageBuffer scratch;
  private int pageRows;
  private int pageNulls;
  private long totalValues;
  private long totalNulls;
  private boolean chunkStarted;

  /// @param searchableRows rows of each page of a searchable column; 0 for one cut by bytes
  LeafWriter(
      ColumnDescriptor column,
      LeafEncoder encoder,
      ColumnPages pages,
      PageBuffer scratch,
      int pageBytes,
      int searchableRows) {
    this.column = column;
    this.fieldId = column.getPrimitiveType().getId().intValue();
    this.encoder = encoder;
    this.definitionMax = column.getMaxDefinitionLevel();
    this.repetition = new Levels(column.getMaxRepetitionLevel());
    this.definition = new Levels(definitionMax);
    this.pages = pages;
    this.scratch = scratch;
    this.pageBytes = searchableRows > 0 ? Integer.MAX_VALUE : pageBytes;
    this.pageRowsMax = searchableRows > 0 ? searchableRows : PAGE_ROWS_MAX;
  }

  /// Appends rows of a column that is not nested, without building its levels one by one.
  void appendRows(FieldVector vector, int from, int to) {
    startChunk(vector, from, to);
    boolean nulls = vector.getNullCount() > 0;
    int row = from;
    while (row < to) {
      int until = row + Math.min(to - row, pageRowsMax - pageRows);
      int fitting = encoder.fit(vector, row, until, pageBytes - encoder.plainBytes());
      if (fitting == 0 && pageRows == 0) {
        fitting = 1;
      }
      if (nulls) {
        appendRuns(vector, row, row + fitting);
      } else {
        appendPresent(vector, row, row + fitting);
      }
      pageRows += fitting;
      row += fitting;
      if (row < until || pageRows == pageRowsMax) {
        endPage();
      }
    }
  }

  private void startChunk(FieldVector sample, int from, int to) {
    if (!chunkStarted) {
      encoder.startChunk(sample, from, to);
      chunkStarted = true;
    }
  }

  private void appendPresent(FieldVector vector, int from, int to) {
    definition.add(definitionMax, to - from);
    repetition.add(0, to - from);
    encoder.append(vector, from, to);
  }

  private void appendRuns(FieldVector vector, int from, int to) {
    if (definitionMax == 0) {
      throw nullInRequired();
    }
    int start = from;
    while (start < to) {
      boolean isNull = vector.isNull(start);
      int end = start + 1;
      while (end < to && vector.isNull(end) == isNull) {
        end++;
      }
      if (isNull) {
        appendNullRows(end - start, 0);
      } else {
        appendPresent(vector, start, end);
      }
      start = end;
    }
  }

  private void appendNullRows(int count, int level) {
    definition.add(level, count);
    repetition.add(0, count);
    pageNulls += count;
  }

  /// Appends rows of a column that is not there.
  void appendAbsent(int rows) {
    if (definitionMax == 0) {
      throw nullInRequired();
    }
    int left = rows;
    while (left > 0) {
      int count = Math.min(left, pageRowsMax - pageRows);
      appendNullRows(count, 0);
      pageRows += count;
      left -= count;
      if (pageRows == pageRowsMax) {
        endPage();
      }
    }
  }

  /// Appends nested slots; those with an index are values of the vector.
  void appendSlots(@Nullable FieldVector vector, Slots slots) {
    if (vector != null) {
      startChunk(vector, 0, vector.getValueCount());
    }
    for (int i = 0; i < slots.count; i++) {
      if (slots.repetition[i] == 0) {
        if (pageRows == pageRowsMax || encoder.plainBytes() >= pageBytes) {
          endPage();
        }
        pageRows++;
      }
      repetition.add(slots.repetition[i], 1);
      definition.add(slots.definition[i], 1);
      if (slots.index[i] < 0 || vector == null) {
        pageNulls++;
      } else {
        encoder.append(vector, slots.index[i], slots.index[i] + 1);
      }
    }
  }

  private IcewalException nullInRequired() {
    return new IcewalException(
        ErrorKind.INVALID,
        "required column "
            + String.join(".", column.getPath())
            + " (field "
            + fieldId
            + ") cannot take a null");
  }

  private void endPage() {
    int values = definition.count();
    if (values == 0) {
      return;
    }
    scratch.reset((int) Math.min(pageBytes, WriterSettings.PAGE_BYTES_DEFAULT));
    repetition.writeTo(scratch);
    definition.writeTo(scratch);
    boolean dictionary = encoder.writePage(scratch);
    Statistics<?> statistics = encoder.pageStatistics();
    if (statistics != null) {
      statistics.incrementNumNulls(pageNulls);
    }
    pages.add(scratch, values, pageRows, dictionary, statistics);
    totalValues += values;
    totalNulls += pageNulls;
    encoder.resetPage();
    repetition.reset();
    definition.reset();
    pageRows = 0;
    pageNulls = 0;
  }

  /// Bytes of the chunk up to now, those of the page in the making as they are.
  long bytes() {
    return pages.bytes() + encoder.plainBytes();
  }

  void endChunk(ParquetFileWriter out) throws IOException {
    endPage();
    pages.writeTo(out, column, encoder.dictionary(), encoder.dictionarySize());
    chunkStarted = false;
  }

  @Nullable FieldMetrics<?> fieldMetrics() {
    return encoder.fieldMetrics(fieldId, totalValues, totalNulls);
  }
}
