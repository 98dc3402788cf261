package io.icewal.wal;

import io.icewal.model.RowBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.util.VectorAppender;

/// Puts small batches that follow each other together into larger ones. Clients that send row by
/// row would otherwise fill the log with Arrow's headers and padding, some hundred bytes a column
/// and batch, and every reader would pay for each batch again.
///
/// Holds the batches that it made, and closes them; those that were given stay their owner's.
final class SmallBatches implements AutoCloseable {
  /// Above this, a batch is worth its headers.
  private static final int SMALL_ROWS_MAX = 256;

  private static final int SMALL_BYTES_MAX = 64 << 10;

  /// Few enough for one piece of work of a reader.
  private static final int TOGETHER_ROWS_MAX = 4_096;

  private final List<RowBatch> batches = new ArrayList<>();
  private final List<RowBatch> made = new ArrayList<>();

  /// Small batches that wait to be put together.
  private List<RowBatch> run = new ArrayList<>();

  private int runRows;

  private SmallBatches() {}

  /// @param rows batches of one block, in order
  static SmallBatches combine(List<RowBatch> rows) {
    SmallBatches result = new SmallBatches();
    try {
      rows.forEach(result::take);
      result.endRun();
      return result;
    } catch (RuntimeException | Error e) {
      result.close();
      throw e;
    }
  }

  private void take(RowBatch batch) {
    boolean small = isSmall(batch);
    if (!small || !joinsRun(batch)) {
      endRun();
    }
    if (small) {
      run.add(batch);
      runRows += batch.rowCount();
    } else {
      batches.add(batch);
    }
  }

  private boolean joinsRun(RowBatch batch) {
    return run.isEmpty()
        || runRows + batch.rowCount() <= TOGETHER_ROWS_MAX
            && run.get(0).rows().getSchema().equals(batch.rows().getSchema());
  }

  private void endRun() {
    if (run.size() > 1) {
      RowBatch together = together(run);
      made.add(together);
      batches.add(together);
    } else {
      batches.addAll(run);
    }
    run = new ArrayList<>();
    runRows = 0;
  }

  /// The same rows in the same order.
  List<RowBatch> batches() {
    return batches;
  }

  private static boolean isSmall(RowBatch batch) {
    if (batch.rowCount() > SMALL_ROWS_MAX) {
      return false;
    }
    long bytes = 0;
    for (FieldVector vector : batch.rows().getFieldVectors()) {
      bytes += vector.getBufferSize();
      if (bytes > SMALL_BYTES_MAX || !startsAtZero(vector)) {
        return false;
      }
    }
    return true;
  }

  /// Whether the values begin where their buffer does: Arrow's appender takes that for granted.
  private static boolean startsAtZero(FieldVector vector) {
    boolean hasOffsets = vector instanceof BaseVariableWidthVector || vector instanceof ListVector;
    if (hasOffsets && vector.getValueCount() > 0 && vector.getOffsetBuffer().getInt(0) != 0) {
      return false;
    }
    return vector.getChildrenFromFields().stream().allMatch(SmallBatches::startsAtZero);
  }

  private static RowBatch together(List<RowBatch> run) {
    int rows = run.stream().mapToInt(RowBatch::rowCount).sum();
    RowBatch first = run.get(0);
    List<FieldVector> columns = new ArrayList<>();
    try {
      for (int i = 0; i < first.rows().getFieldVectors().size(); i++) {
        int column = i;
        columns.add(
            append(run.stream().map(batch -> batch.rows().getVector(column)).toList(), rows));
      }
      TinyIntVector ops =
          first.ops() == null
              ? null
              : (TinyIntVector) append(run.stream().map(SmallBatches::ops).toList(), rows);
      return new RowBatch(first.kind(), root(columns, rows), ops);
    } catch (RuntimeException | Error e) {
      columns.forEach(FieldVector::close);
      throw e;
    }
  }

  private static FieldVector ops(RowBatch batch) {
    return Objects.requireNonNull(batch.ops());
  }

  private static VectorSchemaRoot root(List<FieldVector> columns, int rows) {
    return new VectorSchemaRoot(
        columns.stream().map(FieldVector::getField).toList(), columns, rows);
  }

  private static FieldVector append(List<FieldVector> pieces, int rows) {
    FieldVector first = pieces.get(0);
    FieldVector target = first.getField().createVector(first.getAllocator());
    try {
      target.setInitialCapacity(rows);
      target.allocateNew();
      VectorAppender appender = new VectorAppender(target);
      for (FieldVector piece : pieces) {
        piece.accept(appender, null);
      }
      return target;
    } catch (RuntimeException | Error e) {
      target.close();
      throw e;
    }
  }

  @Override
  public void close() {
    made.forEach(RowBatch::close);
  }
}
