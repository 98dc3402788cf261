package io.icewal.parquet;

import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.column.values.ValuesReader;
import org.jspecify.annotations.Nullable;

/// The values that one leaf has decoded for the current batch, nulls left out. The two kinds are
/// [NumberStore] and [BytesStore].
interface ValueStore {
  /// Appends plain values.
  void plain(PageInput in, int count);

  void skipPlain(PageInput in, int count);

  /// Appends values of any other encoding.
  void decode(ValuesReader in, int count);

  /// Appends values of a dictionary, which is a store of the same kind.
  void pick(ValueStore dictionary, int[] ids, int count);

  /// An empty store of the same kind.
  ValueStore emptyCopy();

  int count();

  /// Bytes of all values.
  long bytes();

  /// Bytes of the longest value.
  int longestBytes();

  /// Fills a new vector of `slots` values.
  ///
  /// @param present which slots have a value; null if all
  void fill(FieldVector vector, boolean @Nullable [] present, int slots);

  void clear();
}
