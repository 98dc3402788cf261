package io.icewal.ingest;

import io.icewal.model.BlockKind;
import io.icewal.model.RowBatch;
import io.icewal.model.RowOp;
import io.icewal.model.Verdict;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;

/// Checks and converts batches column by column.
///
/// A batch is converted whole first, which is all there is to do for a good one. If that gave
/// verdicts and the stream is in mode PARTIAL, the rows without one are converted again, alone.
///
/// Not thread-safe. What it gives out is owned by the caller; on any failure nothing is left open.
final class RowValidator {
  private final RowPlan plan;
  private final StreamOptions.Mode mode;
  private final IngestLimits limits;
  private final BufferAllocator allocator;

  RowValidator(
      RowPlan plan, StreamOptions.Mode mode, IngestLimits limits, BufferAllocator allocator) {
    this.plan = plan;
    this.mode = mode;
    this.limits = limits;
    this.allocator = allocator;
  }

  ValidatedBatch validate(VectorSchemaRoot batch, DictionaryProvider dictionaries) {
    int rowCount = batch.getRowCount();
    if (rowCount == 0) {
      return ValidatedBatch.empty();
    }
    List<FieldVector> inputs = batch.getFieldVectors();
    try {
      VerdictList verdicts = new VerdictList(limits.verdictsMax());
      RowBatch all = convert(inputs, dictionaries, Slots.rows(rowCount), verdicts);
      if (verdicts.isEmpty()) {
        return new ValidatedBatch(all, InputBytes.of(all.rows()), List.of(), 0);
      }
      all.close();
      return withVerdicts(inputs, dictionaries, rowCount, verdicts);
    } catch (BatchRefused e) {
      return new ValidatedBatch(null, 0, List.of(e.verdict()), 0);
    }
  }

  private ValidatedBatch withVerdicts(
      List<FieldVector> inputs,
      DictionaryProvider dictionaries,
      int rowCount,
      VerdictList verdicts) {
    List<Verdict> lowest = verdicts.lowest();
    int[] good = goodRows(verdicts.badRows(), rowCount);
    if (mode == StreamOptions.Mode.REJECT || good.length == 0) {
      return new ValidatedBatch(null, 0, lowest, verdicts.more());
    }
    VerdictList none = new VerdictList(1);
    RowBatch rows = convert(inputs, dictionaries, Slots.rows(good, rowCount), none);
    if (!none.isEmpty()) {
      rows.close();
      throw new IllegalStateException("a row was good and then bad: " + none.lowest());
    }
    return new ValidatedBatch(rows, InputBytes.of(rows.rows()), lowest, verdicts.more());
  }

  private static int[] goodRows(BitSet bad, int rowCount) {
    int[] good = new int[rowCount - bad.cardinality()];
    int count = 0;
    for (int i = bad.nextClearBit(0); i < rowCount; i = bad.nextClearBit(i + 1)) {
      good[count++] = i;
    }
    return good;
  }

  private RowBatch convert(
      List<FieldVector> inputs,
      DictionaryProvider dictionaries,
      Slots slots,
      VerdictList verdicts) {
    OpColumn op = plan.op();
    if (op == null) {
      Conversion run = conversion(dictionaries, verdicts, null);
      return convert(plan.kind(), inputs, slots, run);
    }
    BitSet deletes = op.deletes(inputs, slots, conversion(dictionaries, verdicts, null));
    int deleteCount = deletes.cardinality();
    if (deleteCount == 0 || deleteCount == slots.count()) {
      BlockKind kind = deleteCount == 0 ? BlockKind.UPSERT : BlockKind.DELETE;
      return convert(kind, inputs, slots, conversion(dictionaries, verdicts, null));
    }
    return convert(BlockKind.MIXED, inputs, slots, conversion(dictionaries, verdicts, deletes));
  }

  private Conversion conversion(
      DictionaryProvider dictionaries, VerdictList verdicts, @Nullable BitSet deletes) {
    return new Conversion(allocator, dictionaries, verdicts, deletes, limits.batchBytesMax());
  }

  private RowBatch convert(BlockKind kind, List<FieldVector> inputs, Slots slots, Conversion run) {
    List<PlannedColumn> columns = plan.columns(kind);
    List<FieldVector> outputs = new ArrayList<>(columns.size());
    boolean done = false;
    try {
      BitSet deletes = run.deletes();
      Slots rest = deletes == null ? slots : slots.maskRows(deletes);
      List<Field> fields = new ArrayList<>(columns.size());
      for (PlannedColumn column : columns) {
        FieldVector out = column.field().createVector(run.allocator());
        outputs.add(out);
        fields.add(column.field());
        column.convert(inputs, column.key() ? slots : rest, out, run);
      }
      if (kind != BlockKind.DELETE) {
        plan.partitions().check(outputs, slots, run);
      }
      TinyIntVector ops = deletes == null ? null : ops(slots, deletes);
      done = true;
      return new RowBatch(kind, new VectorSchemaRoot(fields, outputs, slots.count()), ops);
    } finally {
      if (!done) {
        outputs.forEach(FieldVector::close);
      }
    }
  }

  private TinyIntVector ops(Slots slots, BitSet deletes) {
    TinyIntVector ops = new TinyIntVector(RowOp.COLUMN, allocator);
    boolean done = false;
    try {
      ops.allocateNew(slots.count());
      for (int i = 0; i < slots.count(); i++) {
        ops.set(i, deletes.get(slots.row(i)) ? RowOp.DELETE : RowOp.UPSERT);
      }
      ops.setValueCount(slots.count());
      done = true;
      return ops;
    } finally {
      if (!done) {
        ops.close();
      }
    }
  }
}
