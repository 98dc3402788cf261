package io.icewal.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.model.RowBatch;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;

class KeyNullsTest {
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              NestedField.required(1, "a", Types.IntegerType.get()),
              NestedField.required(2, "b", Types.DateType.get())),
          Set.of(1, 2));

  /// Case b052: a null in a key is no zero and no epoch; it is refused.
  @Test
  void b052_nullsInKeysAreRefusedAndZerosAreKeys() {
    try (Harness harness = new Harness();
        VectorSchemaRoot batch = batch(harness)) {
      ValidatedBatch result =
          harness.validate(SCHEMA, StreamOptions.Op.UPSERT, StreamOptions.Mode.PARTIAL, batch);

      assertThat(result.verdicts())
          .extracting(v -> v.row() + " " + v.column() + " " + v.rule())
          .containsExactly("0 b key-not-null", "2 a key-not-null");
      try (RowBatch rows = result.rows()) {
        KeyVector keys = KeyColumns.of(SCHEMA).encode(rows.rows());
        assertThat(keys.size()).isEqualTo(2);
        assertThat(keys.compare(0, keys, 1)).isPositive();
      }
    }
  }

  /// (1, null), (1, 1970-01-01), (null, 1970-01-01), (0, 1970-01-01).
  private static VectorSchemaRoot batch(Harness harness) {
    IntVector a = new IntVector("a", harness.in);
    a.setSafe(0, 1);
    a.setSafe(1, 1);
    a.setNull(2);
    a.setSafe(3, 0);
    a.setValueCount(4);
    FieldVector b = Harness.field("b", new ArrowType.Date(DateUnit.DAY)).createVector(harness.in);
    b.allocateNew();
    for (int row = 1; row < 4; row++) {
      ((DateDayVector) b).setSafe(row, 0);
    }
    b.setValueCount(4);
    return Harness.rows(4, a, b);
  }
}
