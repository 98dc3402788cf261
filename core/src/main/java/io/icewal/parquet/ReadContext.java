package io.icewal.parquet;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.mapping.NameMapping;
import org.jspecify.annotations.Nullable;

/// What [ParquetColumnReader] must know of a file beyond its bytes, and which part to read.
///
/// @param nameMapping used for files without field ids; null: such a file has no known column
/// @param constants values by field id, in Iceberg's internal form, that hold for all rows of the
///   file and win over what it stores (identity partition values, `_file`, `_spec_id`)
/// @param firstRowId `_row_id` of row 0 where the file does not store it; null: not assigned
/// @param sequenceNumber `_last_updated_sequence_number` of the rows where it is not stored
/// @param start first byte of the split: row groups whose middle lies in it are read
/// @param length bytes of the split
/// @param rows ascending file row numbers to read; null for all
/// @param batchRows rows a batch at most
public record ReadContext(
    @Nullable NameMapping nameMapping,
    Map<Integer, @Nullable Object> constants,
    @Nullable Long firstRowId,
    @Nullable Long sequenceNumber,
    long start,
    long length,
    long @Nullable [] rows,
    int batchRows) {
  /// Vectors of this many rows stay in the CPU's cache and still amortise the work per batch.
  public static final int BATCH_ROWS_DEFAULT = 8192;

  /// A whole file of which nothing is known but its bytes.
  public static ReadContext plain() {
    return new ReadContext(null, Map.of(), null, null, 0, Long.MAX_VALUE, null, BATCH_ROWS_DEFAULT);
  }

  /// A whole data file of a table.
  ///
  /// @param spec the file's own partition spec
  public static ReadContext of(
      DataFile file, PartitionSpec spec, @Nullable NameMapping nameMapping) {
    Map<Integer, @Nullable Object> constants = new HashMap<>();
    constants.put(MetadataColumns.FILE_PATH.fieldId(), file.location());
    constants.put(MetadataColumns.SPEC_ID.fieldId(), file.specId());
    for (int i = 0; i < spec.fields().size(); i++) {
      PartitionField field = spec.fields().get(i);
      if (field.transform().isIdentity()) {
        constants.put(field.sourceId(), file.partition().get(i, Object.class));
      }
    }
    return new ReadContext(
        nameMapping,
        constants,
        file.firstRowId(),
        file.dataSequenceNumber(),
        0,
        Long.MAX_VALUE,
        null,
        BATCH_ROWS_DEFAULT);
  }

  /// The same for the row groups whose middle lies in the given byte range only.
  public ReadContext withSplit(long newStart, long newLength) {
    return new ReadContext(
        nameMapping, constants, firstRowId, sequenceNumber, newStart, newLength, rows, batchRows);
  }

  /// The same for the given file rows (ascending) only.
  public ReadContext withRows(long[] newRows) {
    return new ReadContext(
        nameMapping, constants, firstRowId, sequenceNumber, start, length, newRows, batchRows);
  }

  /// The same with another bound on the rows of a batch.
  public ReadContext withBatchRows(int newBatchRows) {
    return new ReadContext(
        nameMapping, constants, firstRowId, sequenceNumber, start, length, rows, newBatchRows);
  }
}
