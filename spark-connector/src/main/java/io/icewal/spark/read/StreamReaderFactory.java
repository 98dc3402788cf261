package io.icewal.spark.read;

import io.icewal.spark.read.StreamBatches.RowKinds;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.ProjectingInternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.ArraySeq;

/// Opens the partitions of a stream's batch, as rows: the table's columns, then what the row is, or
/// nulls for the metadata columns that Spark may want. Travels to executors.
final class StreamReaderFactory implements PartitionReaderFactory {
  private static final long serialVersionUID = 1L;

  private final TailSource rows;
  private final TailSource keys;
  private final StructType columns;
  private final StructType keyColumns;
  private final RowKinds kinds;
  private final int metadataColumns;

  StreamReaderFactory(
      TailSource rows,
      TailSource keys,
      StructType columns,
      StructType keyColumns,
      RowKinds kinds,
      int metadataColumns) {
    this.rows = rows;
    this.keys = keys;
    this.columns = columns;
    this.keyColumns = keyColumns;
    this.kinds = kinds;
    this.metadataColumns = metadataColumns;
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    if (partition instanceof StreamPartition.Files files) {
      return with(ChangesTable.UPSERT, rows(files), false);
    } else if (partition instanceof StreamPartition.Upserts upserts) {
      return with(ChangesTable.UPSERT, new TailRows(rows.open(upserts.rows())), false);
    } else if (partition instanceof StreamPartition.Deletes deletes) {
      return with(ChangesTable.DELETE, new TailRows(keys.open(deletes.keys())), true);
    }
    return with(ChangesTable.TRUNCATE, new OneRow(new GenericInternalRow(columns.size())), false);
  }

  private static PartitionReader<InternalRow> rows(StreamPartition.Files files) {
    return files.readers().supportColumnarReads(files.files())
        ? new BatchRows(files.readers().createColumnarReader(files.files()))
        : files.readers().createReader(files.files());
  }

  private PartitionReader<InternalRow> with(
      String op, PartitionReader<InternalRow> reader, boolean isKeyAlone) {
    GenericInternalRow more = new GenericInternalRow(kinds == RowKinds.ALL ? 1 : metadataColumns);
    if (kinds == RowKinds.ALL) {
      more.update(0, UTF8String.fromString(op));
    }
    return isKeyAlone ? new KeyRows(reader, more) : new WholeRows(reader, more);
  }

  /// Rows of all columns. iceberg-spark's may have more than were asked for.
  private final class WholeRows implements PartitionReader<InternalRow> {
    private final PartitionReader<InternalRow> reader;
    private final ProjectingInternalRow wanted =
        new ProjectingInternalRow(
            columns, new ArraySeq.ofInt(IntStream.range(0, columns.size()).toArray()));
    private final JoinedRow row;

    private WholeRows(PartitionReader<InternalRow> reader, InternalRow more) {
      this.reader = reader;
      this.row = new JoinedRow(wanted, more);
    }

    @Override
    public boolean next() throws IOException {
      return reader.next();
    }

    @Override
    public InternalRow get() {
      wanted.project(reader.get());
      return row;
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }

  /// Rows of the key's columns, as rows of all.
  private final class KeyRows implements PartitionReader<InternalRow> {
    private final PartitionReader<InternalRow> reader;
    private final GenericInternalRow whole = new GenericInternalRow(columns.size());
    private final JoinedRow row;
    private final int[] ordinals;

    private KeyRows(PartitionReader<InternalRow> reader, InternalRow more) {
      this.reader = reader;
      this.row = new JoinedRow(whole, more);
      List<String> names = Arrays.asList(columns.fieldNames());
      this.ordinals = Arrays.stream(keyColumns.fieldNames()).mapToInt(names::indexOf).toArray();
    }

    @Override
    public boolean next() throws IOException {
      return reader.next();
    }

    @Override
    public InternalRow get() {
      InternalRow key = reader.get();
      StructField[] fields = keyColumns.fields();
      for (int i = 0; i < fields.length; i++) {
        whole.update(ordinals[i], key.get(i, fields[i].dataType()));
      }
      return row;
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }

  /// The rows of columnar batches.
  private static final class BatchRows implements PartitionReader<InternalRow> {
    private final PartitionReader<ColumnarBatch> batches;
    private java.util.Iterator<InternalRow> rows = java.util.Collections.emptyIterator();

    private BatchRows(PartitionReader<ColumnarBatch> batches) {
      this.batches = batches;
    }

    @Override
    public boolean next() throws IOException {
      while (!rows.hasNext()) {
        if (!batches.next()) {
          return false;
        }
        rows = batches.get().rowIterator();
      }
      return true;
    }

    @Override
    public InternalRow get() {
      return rows.next();
    }

    @Override
    public void close() throws IOException {
      batches.close();
    }
  }

  /// A single row.
  private static final class OneRow implements PartitionReader<InternalRow> {
    private final InternalRow row;
    private boolean isRead;

    private OneRow(InternalRow row) {
      this.row = row;
    }

    @Override
    public boolean next() {
      boolean isNext = !isRead;
      isRead = true;
      return isNext;
    }

    @Override
    public InternalRow get() {
      return row;
    }

    @Override
    public void close() {}
  }
}
