package io.icewal.parquet;

import org.apache.arrow.vector.FieldVector;
import org.apache.iceberg.FieldMetrics;
import org.apache.parquet.column.statistics.Statistics;
import org.jspecify.annotations.Nullable;

/// Encodes the values of one leaf column, page by page, and keeps each page's bounds. The four
/// kinds are [NumberEncoder], [BytesEncoder], [FixedBytesEncoder] and [BooleanEncoder].
///
/// Values are never null here: nulls are levels only. The caller names indexes that the vector has.
interface LeafEncoder {
  /// Called before the first value of a column chunk: may look at the values that will come first
  /// and decide on a dictionary.
  void startChunk(FieldVector sample, int from, int to);

  /// How many of the rows from `from` to `to` go into `bytes` bytes of page; whether they are null
  /// does not matter much here. May be 0.
  int fit(FieldVector vector, int from, int to, long bytes);

  void append(FieldVector vector, int from, int to);

  /// Plain bytes of the page's values, whatever their encoding will be.
  int plainBytes();

  /// Appends the page's values in their encoding.
  ///
  /// @return whether they are dictionary ids
  boolean writePage(PageBuffer out);

  /// Bounds of the page's values without null count; null if readers must not trust any (NaN).
  @Nullable Statistics<?> pageStatistics();

  /// Forgets the page. The chunk's dictionary stays.
  void resetPage();

  /// The chunk's dictionary in plain encoding, or null if no page uses one.
  @Nullable PageBuffer dictionary();

  int dictionarySize();

  /// Metrics that a Parquet footer cannot tell (NaN counts), over all that was ever appended.
  @Nullable FieldMetrics<?> fieldMetrics(int fieldId, long values, long nulls);
}
