package io.icewal.parquet;

import java.io.IOException;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ValuesType;
import org.apache.parquet.column.values.ValuesReader;
import org.jspecify.annotations.Nullable;

/// The levels of one page and how far they are read.
final class PageLevels {
  private final int @Nullable [] repetition;
  private final int @Nullable [] definition;
  private final int definitionMax;
  private final int count;
  private int position;

  /// @param repetition null if the column is not repeated
  /// @param definition null if all entries have a value
  PageLevels(
      int @Nullable [] repetition, int @Nullable [] definition, int definitionMax, int count) {
    this.repetition = repetition;
    this.definition = definition;
    this.definitionMax = definitionMax;
    this.count = count;
  }

  static int @Nullable [] readV1(
      Encoding encoding,
      ColumnDescriptor column,
      ValuesType type,
      int count,
      ByteBufferInputStream in)
      throws IOException {
    int max =
        type == ValuesType.REPETITION_LEVEL
            ? column.getMaxRepetitionLevel()
            : column.getMaxDefinitionLevel();
    if (max == 0) {
      return null;
    }
    if (encoding == Encoding.RLE) {
      int length = BytesUtils.readIntLittleEndian(in);
      return readRuns(PageInput.of(in.slice(length)), max, count, type);
    }
    ValuesReader reader = encoding.getValuesReader(column, type);
    reader.initFromPage(count, in);
    int[] levels = new int[count];
    for (int i = 0; i < count; i++) {
      levels[i] = reader.readInteger();
    }
    return levels;
  }

  static int @Nullable [] readRuns(PageInput in, int max, int count, ValuesType type) {
    if (max == 0) {
      return null;
    }
    HybridDecoder decoder =
        new HybridDecoder(in.bytes, in.position, in.end, BytesUtils.getWidthFromMaxInt(max));
    boolean all = decoder.runLength() >= count && decoder.runValue() == max;
    if (all && type == ValuesType.DEFINITION_LEVEL) {
      return null;
    }
    int[] levels = new int[count];
    decoder.read(levels, count);
    return levels;
  }

  /// Moves over up to `rows` rows and returns how many. A row that the page ends in counts; 0 moves
  /// over what belongs to a row begun before.
  long advance(long rows) {
    int[] levels = repetition;
    if (levels == null) {
      int step = (int) Math.min(rows, count - position);
      position += step;
      return step;
    }
    if (rows == 0) {
      skipWithinRow(levels);
      return 0;
    }
    long done = 0;
    while (position < count && done < rows) {
      position++;
      skipWithinRow(levels);
      done++;
    }
    return done;
  }

  private void skipWithinRow(int[] levels) {
    while (position < count && levels[position] > 0) {
      position++;
    }
  }

  /// Entries that have a value.
  int present(int from, int to) {
    int[] levels = definition;
    if (levels == null) {
      return to - from;
    }
    int present = 0;
    for (int i = from; i < to; i++) {
      present += levels[i] == definitionMax ? 1 : 0;
    }
    return present;
  }

  boolean startsWithinRow() {
    int[] levels = repetition;
    return levels != null && count > 0 && levels[0] > 0;
  }

  boolean isDone() {
    return position == count;
  }

  int position() {
    return position;
  }

  int @Nullable [] repetition() {
    return repetition;
  }

  int @Nullable [] definition() {
    return definition;
  }
}
