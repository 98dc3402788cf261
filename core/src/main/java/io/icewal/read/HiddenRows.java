package io.icewal.read;

import io.icewal.merge.KeyColumns;
import io.icewal.parquet.FileKeys;
import io.icewal.parquet.KeyPageCache;
import io.icewal.parquet.ReadContext;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.LongStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.IdentityPartitionConverters;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.util.PartitionUtil;
import org.jspecify.annotations.Nullable;

/// The rows of a data file that a slice of a tail hides.
public final class HiddenRows {
  private HiddenRows() {}

  /// Of a Parquet file.
  ///
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

  /// Of a file in any format: its keys are read row by row.
  ///
  /// @param task the whole file
  /// @param names for files without field ids; null for none
  /// @param allocator for a batch of keys at a time
  /// @return file row numbers, ascending, distinct
  public static long[] findByRecords(
      InputFile in,
      FileScanTask task,
      KeyColumns key,
      KeySlice slice,
      @Nullable NameMapping names,
      BufferAllocator allocator) {
    Schema columns = key.keySchema();
    CloseableIterable<Record> records =
        FormatModelRegistry.readBuilder(task.file().format(), Record.class, in)
            .project(columns)
            .idToConstant(
                PartitionUtil.constantsMap(task, IdentityPartitionConverters::convertConstant))
            .withNameMapping(names)
            .build();
    LongStream.Builder hidden = LongStream.builder();
    try (RecordRows rows = new RecordRows(records, columns, columns, key, slice, allocator)) {
      long first = 0;
      for (RowSource.Batch batch = rows.next(); batch != null; batch = rows.next()) {
        long start = first;
        BitSet dead = batch.dead();
        if (dead != null) {
          dead.stream().forEach(row -> hidden.add(start + row));
        }
        first += batch.rows().getRowCount();
      }
    }
    return hidden.build().toArray();
  }
}
