package io.icewal.parquet;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.FieldMetrics;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.ParquetSchemaUtil;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/// Writes canonical Arrow rows as one Parquet file, column by column.
///
/// 1. Rows are taken in slices of bounded bytes; each leaf column appends its slice to its page.
/// 2. Full pages are compressed and held by their column chunk.
/// 3. When the row group's bytes reach their bound, its chunks go to the file one after the other.
/// 4. [#finish] writes page index and footer, and takes Iceberg's metrics from the footer.
///
/// Columns of type unknown are not stored. The key columns of a sorted file, and `_row_id` with
/// them, are *searchable*: plain, in small pages that end at the same rows.
///
/// Lifecycle: [#write] any number of times, then [#finish] once; [#close] without it drops the
/// file's unwritten part (what the store keeps of it is the store's affair: an object store keeps
/// nothing). Not thread-safe. Keeps no reference to the rows.
public final class ParquetColumnWriter implements AutoCloseable {
  /// Footer entry of the files that are sorted by their key: the key's field ids, comma separated.
  public static final String SORTED_BY = "icewal.sorted-by";

  /// Footer entry in which Iceberg's own writer leaves the schema.
  private static final String ICEBERG_SCHEMA = "iceberg.schema";

  private static final int SLICE_ROWS_MAX = 1 << 16;

  /// Arrow bytes that are appended between two looks at the row group's size.
  private static final long SLICE_BYTES_MAX = 8L << 20;

  private final String location;
  private final Schema schema;
  private final WriterSettings settings;
  private final MetricsConfig metrics;
  private final ParquetFileWriter file;
  private final PageCompressor compressor;
  private final List<WriteNode> columns;
  private final List<LeafWriter> leaves;
  private long rows;
  private long groupRows;
  private boolean finished;

  /// @param schema the columns of the file; may end with `_row_id` and
  ///   `_last_updated_sequence_number` of Iceberg's MetadataColumns
  public ParquetColumnWriter(OutputFile out, Schema schema, WriterSettings settings) {
    this.location = out.location();
    this.schema = schema;
    this.settings = settings;
    MessageType type = ParquetSchemaUtil.convert(schema, "table");
    this.metrics = FooterMetrics.config(schema, type, settings.metrics());
    this.compressor = new PageCompressor(settings.compressionLevel());
    WriteTree tree = new WriteTree(type, settings, compressor);
    this.columns = tree.columns(schema);
    this.leaves = tree.leaves();
    this.file = open(out, type);
  }

  private ParquetFileWriter open(OutputFile out, MessageType type) {
    try {
      ParquetFileWriter writer =
          new ParquetFileWriter(
              IcebergFiles.output(out),
              type,
              ParquetFileWriter.Mode.CREATE,
              settings.rowGroupBytes(),
              0,
              ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH,
              ParquetProperties.DEFAULT_STATISTICS_TRUNCATE_LENGTH,
              true);
      writer.start();
      return writer;
    } catch (IOException e) {
      compressor.close();
      throw failed(e);
    }
  }

  /// Appends all rows. A column of the schema that is not in `rows` is null.
  public void write(VectorSchemaRoot rows) {
    write(rows, 0, rows.getRowCount());
  }

  /// Appends the rows `from` (inclusive) to `to` (exclusive).
  public void write(VectorSchemaRoot batch, int from, int to) {
    int step = sliceRows(batch);
    List<@Nullable FieldVector> vectors = vectors(batch);
    for (int start = from; start < to; start += step) {
      int end = Math.min(to, start + step);
      writeSlice(vectors, start, end);
      rows += end - start;
      groupRows += end - start;
      if (groupBytes() >= settings.rowGroupBytes()) {
        endRowGroup();
      }
    }
  }

  private List<@Nullable FieldVector> vectors(VectorSchemaRoot batch) {
    List<@Nullable FieldVector> vectors = new ArrayList<>();
    Map<Integer, FieldVector> byId = new HashMap<>();
    for (FieldVector vector : batch.getFieldVectors()) {
      byId.put(ArrowSchemas.fieldId(vector.getField()), vector);
    }
    for (WriteNode column : columns) {
      FieldVector vector = byId.get(column.field().fieldId());
      vectors.add(vector instanceof NullVector ? null : vector);
    }
    return vectors;
  }

  private static int sliceRows(VectorSchemaRoot batch) {
    long bytes = 0;
    for (FieldVector vector : batch.getFieldVectors()) {
      bytes += vector.getBufferSize();
    }
    long bytesPerRow = Math.max(1, bytes / Math.max(1, batch.getRowCount()));
    return (int) Math.max(1, Math.min(SLICE_ROWS_MAX, SLICE_BYTES_MAX / bytesPerRow));
  }

  private void writeSlice(List<@Nullable FieldVector> vectors, int from, int to) {
    for (int i = 0; i < columns.size(); i++) {
      FieldVector vector = vectors.get(i);
      WriteNode column = columns.get(i);
      if (!(column instanceof WriteNode.Leaf leaf)) {
        column.write(vector, Slots.ofRows(from, to));
      } else if (vector == null) {
        leaf.writer().appendAbsent(to - from);
      } else {
        leaf.writer().appendRows(vector, from, to);
      }
    }
  }

  private long groupBytes() {
    long bytes = 0;
    for (LeafWriter leaf : leaves) {
      bytes += leaf.bytes();
    }
    return bytes;
  }

  private void endRowGroup() {
    if (groupRows == 0) {
      return;
    }
    try {
      file.startBlock(groupRows);
      for (LeafWriter leaf : leaves) {
        leaf.endChunk(file);
      }
      file.endBlock();
      groupRows = 0;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /// Rows written up to now.
  public long rows() {
    return rows;
  }

  /// Bytes of the file up to now, those in memory included.
  public long bytes() {
    try {
      return file.getPos() + groupBytes();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /// Ends the file.
  public WrittenFile finish() {
    if (finished) {
      throw new IllegalStateException(location + " is finished already");
    }
    endRowGroup();
    try {
      file.end(footerEntries());
      finished = true;
      compressor.close();
      ParquetMetadata footer = file.getFooter();
      return new WrittenFile(
          location, file.getPos(), rows, metrics(footer), ParquetUtil.getSplitOffsets(footer));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private Map<String, String> footerEntries() {
    Map<String, String> entries = new HashMap<>(settings.metadata());
    entries.put(ICEBERG_SCHEMA, SchemaParser.toJson(schema));
    if (!settings.keyFieldIds().isEmpty()) {
      entries.put(
          SORTED_BY,
          settings.keyFieldIds().stream().map(String::valueOf).collect(Collectors.joining(",")));
    }
    return entries;
  }

  private Metrics metrics(ParquetMetadata footer) {
    Stream.Builder<FieldMetrics<?>> fields = Stream.builder();
    for (LeafWriter leaf : leaves) {
      FieldMetrics<?> metrics = leaf.fieldMetrics();
      if (metrics != null) {
        fields.add(metrics);
      }
    }
    return ParquetUtil.footerMetrics(footer, fields.build(), metrics);
  }

  private IcewalException failed(IOException e) {
    return new IcewalException(
        ErrorKind.UNAVAILABLE, "cannot write data file " + location + ": " + e.getMessage(), e);
  }

  @Override
  public void close() {
    if (finished) {
      return;
    }
    finished = true;
    compressor.close();
    file.abort();
    try {
      file.close();
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
