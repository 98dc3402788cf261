package io.icewal.read;

import io.icewal.merge.KeyColumns;
import io.icewal.parquet.FileKeys;
import io.icewal.parquet.KeyPageCache;
import io.icewal.parquet.ReadContext;
import java.util.Arrays;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.io.InputFile;

/// The rows of a Parquet data file that a slice of a tail hides.
public final class HiddenRows {
  private HiddenRows() {}

  /// @param context as for reading the file ([ReadContext#of])
  /// @return file row numbers, ascending, distinct
  public static long[] find(
      InputFile in,
      DataFile file,
      KeyColumns key,
      KeySlice slice,
      ReadContext context,
      KeyPageCache cache) {
    if (slice.isEmpty()) {
      return new long[0];
    }
    try (FileKeys keys = FileKeys.open(in, file, key, context, cache)) {
      FileKeys.Matches matches = keys.find(slice.keys(), slice.from(), slice.to());
      return Arrays.stream(matches.row(), 0, matches.count()).sorted().distinct().toArray();
    }
  }
}
