package io.icewal.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.ArrowSchemas;
import io.icewal.parquet.RandomRows;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TailColumnTest {
  static List<Type> elements() {
    return RandomRows.PRIMITIVES.stream()
        .filter(type -> type.typeId() != Type.TypeID.TIME)
        .filter(type -> type.typeId() != Type.TypeID.TIMESTAMP_NANO)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("elements")
  void nullsInArraysOutliveACopy(Type element) {
    Types.ListType type = Types.ListType.ofOptional(2, element);
    DataType wanted = SparkSchemaUtil.convert(type);
    NestedField field = NestedField.optional(1, "a", type);
    try (BufferAllocator allocator = new RootAllocator();
        FieldVector vector = ArrowSchemas.toArrow(field).createVector(allocator)) {
      ListVector list = (ListVector) vector;
      // The first list is there to move the second one's offset.
      for (int row = 0; row < 2; row++) {
        int start = list.startNewValue(row);
        for (int i = 0; i < 3; i++) {
          list.getDataVector().setNull(start + i);
        }
        list.endValue(row, 3);
      }
      list.setValueCount(2);

      ArrayData copy = TailColumn.of(list, type, wanted).getArray(1).copy();

      List<Object> values = new ArrayList<>();
      for (int i = 0; i < copy.numElements(); i++) {
        values.add(copy.isNullAt(i) ? null : copy.get(i, ((ArrayType) wanted).elementType()));
      }
      assertThat(values).containsExactly(null, null, null);
    }
  }

  @Test
  void booleansOfAnArrayAreCopiedWithItsNulls() {
    Types.ListType type = Types.ListType.ofOptional(2, Types.BooleanType.get());
    NestedField field = NestedField.optional(1, "a", type);
    Boolean[] given = {true, null, false, null, true, true, false, false, null, true, false};
    try (BufferAllocator allocator = new RootAllocator();
        FieldVector vector = ArrowSchemas.toArrow(field).createVector(allocator)) {
      ListVector list = (ListVector) vector;
      BitVector bits = (BitVector) list.getDataVector();
      int start = list.startNewValue(0);
      for (int i = 0; i < given.length; i++) {
        if (given[i] == null) {
          bits.setNull(start + i);
        } else {
          bits.setSafe(start + i, given[i] ? 1 : 0);
        }
      }
      list.endValue(0, given.length);
      list.setValueCount(1);

      ArrayData copy = TailColumn.of(list, type, SparkSchemaUtil.convert(type)).getArray(0).copy();

      List<Boolean> values = new ArrayList<>();
      for (int i = 0; i < copy.numElements(); i++) {
        values.add(copy.isNullAt(i) ? null : copy.getBoolean(i));
      }
      assertThat(values).containsExactly(given);
    }
  }
}
