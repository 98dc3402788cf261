package io.icewal.materialize;

import io.icewal.merge.KeyColumns;
import io.icewal.parquet.ArrowRows;
import io.icewal.parquet.ParquetColumnWriter;
import io.icewal.parquet.PartitionRouter;
import io.icewal.parquet.PartitionRows;
import io.icewal.parquet.WriterSettings;
import io.icewal.table.OldRows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.util.StructLikeMap;

/// Writes delta files: one per partition, rows in the order given, column by column.
///
/// A file with updates stores `_row_id` of the rows that it continues; others leave the lineage
/// columns out and inherit them. Files lie directly in the table's data folder: partition values do
/// not become paths, so no value can be too long or strange for the store.
///
/// One writer is open at a time, so memory does not grow with the number of partitions. Used by one
/// thread.
final class DeltaWriter {
  /// Rows that are gathered at a time: their columns stay in the CPU's cache.
  private static final int GATHER_ROWS = 16_384;

  /// Rows to write: row `rows[i]` of `sources[source[i]]`, in this order.
  ///
  /// @param rowIds `_row_id` of each row, or [OldRows#NO_ROW_ID] for a new row
  record Selection(List<VectorSchemaRoot> sources, int[] source, int[] rows, long[] rowIds) {
    int size() {
      return rows.length;
    }

    Selection pick(int[] order) {
      int[] pickedSource = new int[order.length];
      int[] pickedRows = new int[order.length];
      long[] pickedIds = new long[order.length];
      for (int i = 0; i < order.length; i++) {
        pickedSource[i] = source[order[i]];
        pickedRows[i] = rows[order[i]];
        pickedIds[i] = rowIds[order[i]];
      }
      return new Selection(sources, pickedSource, pickedRows, pickedIds);
    }
  }

  private final Table table;
  private final Schema schema;
  private final Schema lineageSchema;
  private final PartitionSpec spec;
  private final WriterSettings settings;
  private final OutputFileFactory outputs;
  private final BufferAllocator allocator;
  private final List<DataFile> files = new ArrayList<>();

  /// @param name a part of the file names that nothing else uses
  DeltaWriter(Table table, KeyColumns key, String name, BufferAllocator allocator) {
    this.table = table;
    this.schema = table.schema();
    this.lineageSchema = MetadataColumns.schemaWithRowLineage(schema);
    this.spec = table.spec();
    this.settings = WriterSettings.sorted(MetricsConfig.forTable(table), key.fieldIds());
    this.outputs =
        OutputFileFactory.builderFor(table, 0, 0)
            .format(FileFormat.PARQUET)
            .operationId(name)
            .build();
    this.allocator = allocator;
  }

  /// The files written so far.
  List<DataFile> files() {
    return files;
  }

  /// Writes the rows.
  void write(Selection rows) {
    if (rows.size() == 0) {
      return;
    }
    if (!spec.isPartitioned()) {
      writeFile(rows, 0, rows.size(), null);
      return;
    }
    List<PartitionData> partitions = new ArrayList<>();
    int[] partitionOf = route(rows, partitions);
    int[] ends = new int[partitions.size()];
    Selection grouped = rows.pick(group(partitionOf, ends));
    int from = 0;
    for (int p = 0; p < ends.length; p++) {
      writeFile(grouped, from, ends[p], partitions.get(p));
      from = ends[p];
    }
  }

  /// Writes all rows of all sources, in order.
  void writeAll(List<VectorSchemaRoot> sources) {
    int count = sources.stream().mapToInt(VectorSchemaRoot::getRowCount).reduce(0, Math::addExact);
    int[] source = new int[count];
    int[] rows = new int[count];
    long[] rowIds = new long[count];
    Arrays.fill(rowIds, OldRows.NO_ROW_ID);
    int next = 0;
    for (int s = 0; s < sources.size(); s++) {
      for (int row = 0; row < sources.get(s).getRowCount(); row++) {
        source[next] = s;
        rows[next++] = row;
      }
    }
    write(new Selection(sources, source, rows, rowIds));
  }

  /// The number of each row's partition; the partitions are added to the list.
  private int[] route(Selection rows, List<PartitionData> partitions) {
    StructLikeMap<Integer> numbers = StructLikeMap.create(spec.partitionType());
    PartitionRouter router = PartitionRouter.ofRows(spec, schema);
    int[][] bySource = new int[rows.sources().size()][];
    for (int s = 0; s < bySource.length; s++) {
      VectorSchemaRoot source = rows.sources().get(s);
      bySource[s] = new int[source.getRowCount()];
      for (PartitionRows part : router.route(source)) {
        Integer number = numbers.get(part.partition());
        if (number == null) {
          number = partitions.size();
          numbers.put(part.partition(), number);
          partitions.add(part.partition());
        }
        for (int row : part.rows()) {
          bySource[s][row] = number;
        }
      }
    }
    int[] out = new int[rows.size()];
    for (int i = 0; i < out.length; i++) {
      out[i] = bySource[rows.source()[i]][rows.rows()[i]];
    }
    return out;
  }

  /// The stable order by partition number; `ends[p]` becomes the end of partition `p` in it.
  private static int[] group(int[] partitionOf, int[] ends) {
    for (int partition : partitionOf) {
      ends[partition]++;
    }
    int[] next = new int[ends.length];
    for (int p = 1; p < ends.length; p++) {
      next[p] = ends[p - 1];
      ends[p] += ends[p - 1];
    }
    int[] order = new int[partitionOf.length];
    for (int i = 0; i < order.length; i++) {
      order[next[partitionOf[i]]++] = i;
    }
    return order;
  }

  private void writeFile(
      Selection rows,
      int from,
      int to,
      @org.jspecify.annotations.Nullable PartitionData partition) {
    if (from == to) {
      return;
    }
    boolean continues =
        Arrays.stream(rows.rowIds(), from, to).anyMatch(id -> id != OldRows.NO_ROW_ID);
    try (ParquetColumnWriter writer =
        new ParquetColumnWriter(
            outputs.newOutputFile().encryptingOutputFile(),
            continues ? lineageSchema : schema,
            settings)) {
      for (int start = from; start < to; start += GATHER_ROWS) {
        writeRows(writer, rows, start, Math.min(to, start + GATHER_ROWS), continues);
      }
      files.add(writer.finish().toDataFile(spec, partition));
    }
  }

  private void writeRows(
      ParquetColumnWriter writer, Selection rows, int from, int to, boolean continues) {
    try (VectorSchemaRoot gathered =
        ArrowRows.gather(rows.sources(), rows.source(), rows.rows(), from, to, allocator)) {
      RequiredColumns.check(table.name(), schema, gathered);
      if (!continues) {
        writer.write(gathered);
        return;
      }
      try (FieldVector ids = rowIds(rows.rowIds(), from, to)) {
        List<FieldVector> columns = new ArrayList<>(gathered.getFieldVectors());
        columns.add(ids);
        writer.write(
            new VectorSchemaRoot(
                columns.stream().map(FieldVector::getField).toList(), columns, to - from));
      }
    }
  }

  private FieldVector rowIds(long[] ids, int from, int to) {
    BigIntVector vector =
        (BigIntVector)
            io.icewal.model.ArrowSchemas.toArrow(MetadataColumns.ROW_ID).createVector(allocator);
    vector.allocateNew(to - from);
    for (int i = from; i < to; i++) {
      if (ids[i] != OldRows.NO_ROW_ID) {
        vector.set(i - from, ids[i]);
      }
    }
    vector.setValueCount(to - from);
    return vector;
  }
}
