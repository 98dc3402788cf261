package io.icewal.table;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.IdentityPartitionConverters;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// The keys of a data file of another format than Parquet: its key columns are read as a whole
/// through Iceberg's records, and each is looked up among the sorted keys.
final class RecordKeys implements AutoCloseable {
  private static final int BATCH_ROWS = 1024;

  private final KeyColumns columns;
  private final KeyVector keys;
  private final int from;
  private final int to;
  private final BufferAllocator allocator = new RootAllocator();
  private final RecordColumns arrow;
  private final Schema schema;
  private int[] keyIndexes = new int[64];
  private long[] rows = new long[64];
  private long[] rowIds = new long[64];
  private int count;

  /// @param keys sorted; those `from` to `to` (exclusive) are looked for
  RecordKeys(KeyColumns columns, KeyVector keys, int from, int to) {
    this.columns = columns;
    this.keys = keys;
    this.from = from;
    this.to = to;
    List<NestedField> read = new ArrayList<>(columns.keySchema().columns());
    read.add(MetadataColumns.ROW_ID);
    this.schema = new Schema(read);
    this.arrow = new RecordColumns(schema, schema);
  }

  /// What was found, in the order of rows.
  ///
  /// @param rowIds `_row_id` of each row, or [OldRows#NO_ROW_ID]
  record Found(int[] keyIndexes, long[] rows, long[] rowIds) {}

  Found find(InputFile in, DataFile file, PartitionSpec spec, @Nullable NameMapping names) {
    CloseableIterable<Record> records =
        FormatModelRegistry.readBuilder(file.format(), Record.class, in)
            .project(schema)
            .idToConstant(constants(file, spec))
            .withNameMapping(names)
            .build();
    long row = 0;
    List<Record> batch = new ArrayList<>();
    try (records) {
      for (Record record : records) {
        batch.add(record);
        if (batch.size() == BATCH_ROWS) {
          row = match(batch, row, file);
        }
      }
      match(batch, row, file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the keys of " + file.location(), e);
    }
    return new Found(
        Arrays.copyOf(keyIndexes, count), Arrays.copyOf(rows, count), Arrays.copyOf(rowIds, count));
  }

  private Map<Integer, ?> constants(DataFile file, PartitionSpec spec) {
    Map<Integer, @Nullable Object> constants = new HashMap<>();
    for (int i = 0; i < spec.fields().size(); i++) {
      PartitionField field = spec.fields().get(i);
      NestedField source = schema.findField(field.sourceId());
      if (field.transform().isIdentity() && source != null) {
        Object value = file.partition().get(i, Object.class);
        constants.put(
            source.fieldId(), IdentityPartitionConverters.convertConstant(source.type(), value));
      }
    }
    return constants;
  }

  /// Empties the batch.
  private long match(List<Record> batch, long firstRow, DataFile file) {
    try (VectorSchemaRoot root = arrow.write(batch, allocator)) {
      KeyVector found = columns.encode(root);
      BigIntVector ids = (BigIntVector) root.getVector(root.getFieldVectors().size() - 1);
      for (int i = 0; i < found.size(); i++) {
        int key = indexOf(found, i);
        if (key >= 0) {
          add(key, firstRow + i, ids.isNull(i) ? inherited(file, firstRow + i) : ids.get(i));
        }
      }
    }
    long next = firstRow + batch.size();
    batch.clear();
    return next;
  }

  private static long inherited(DataFile file, long row) {
    Long first = file.firstRowId();
    return first == null ? OldRows.NO_ROW_ID : first + row;
  }

  private int indexOf(KeyVector found, int i) {
    int low = from;
    int high = to - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = found.compare(i, keys, middle);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return -1;
  }

  private void add(int key, long row, long rowId) {
    if (count == rows.length) {
      keyIndexes = Arrays.copyOf(keyIndexes, 2 * count);
      rows = Arrays.copyOf(rows, 2 * count);
      rowIds = Arrays.copyOf(rowIds, 2 * count);
    }
    keyIndexes[count] = key;
    rows[count] = row;
    rowIds[count++] = rowId;
  }

  @Override
  public void close() {
    allocator.close();
  }
}
