package io.icewal.ingest;

import io.icewal.model.ArrowSchemas;
import io.icewal.model.RowOp;
import io.icewal.model.Rule;
import io.icewal.model.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/// The `_op` column of a stream whose rows differ in what they do: 0 or `upsert`, 1 or `delete`, as
/// any integer or text, in any Arrow form.
final class OpColumn {
  /// Not a field of any table: the column never gets beyond this package.
  private static final int FIELD_ID = Integer.MAX_VALUE;

  private final int input;
  private final NestedField target;
  private final ColumnConverter converter;

  private OpColumn(int input, NestedField target, ColumnConverter converter) {
    this.input = input;
    this.target = target;
    this.converter = converter;
  }

  /// Null if the column is missing or of no use; the verdict is given.
  static @Nullable OpColumn plan(
      List<Field> sent, ConverterPlanner planner, List<Verdict> problems) {
    for (int i = 0; i < sent.size(); i++) {
      if (sent.get(i).getName().equals(RowOp.COLUMN)) {
        NestedField target =
            NestedField.required(
                FIELD_ID,
                RowOp.COLUMN,
                planner.isText(sent.get(i)) ? Types.StringType.get() : Types.IntegerType.get());
        ColumnConverter converter = planner.plan(sent.get(i), target, RowOp.COLUMN);
        return converter == null ? null : new OpColumn(i, target, converter);
      }
    }
    problems.add(
        Rules.schema(
            RowOp.COLUMN,
            Rule.MISSING_COLUMN,
            null,
            "column '_op' says what each row of this stream does, and was not sent"));
    return null;
  }

  /// The rows that delete. Rows whose op is bad have a verdict.
  BitSet deletes(List<FieldVector> inputs, Slots slots, Conversion run) {
    BitSet deletes = new BitSet();
    Site site = new Site(RowOp.COLUMN, target.type(), Site.Presence.REQUIRED, false);
    try (FieldVector ops = ArrowSchemas.toArrow(target).createVector(run.allocator())) {
      converter.convert(inputs.get(input), slots, ops, run);
      for (int i = 0; i < slots.count(); i++) {
        if (ops.isNull(i)) {
          continue;
        }
        String op = text(ops, i);
        if (op.equals("1") || op.equals("delete")) {
          deletes.set(slots.row(i));
        } else if (!op.equals("0") && !op.equals("upsert")) {
          run.bad(
              site, slots, i, Rule.OP, op, "expected 0 or 'upsert', or 1 or 'delete', in '_op'");
        }
      }
    }
    return deletes;
  }

  private static String text(FieldVector ops, int row) {
    if (ops instanceof IntVector numbers) {
      int number = numbers.get(row);
      return number == 0 ? "0" : number == 1 ? "1" : Integer.toString(number);
    }
    return new String(((VarCharVector) ops).get(row), StandardCharsets.UTF_8);
  }
}
