package io.icewal.ingest;

import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;

/// One column of the output, top-level or within a struct: converted from an input column, or
/// filled in.
final class PlannedColumn {
  private final Field field;
  private final boolean key;
  private final int input;
  private final @Nullable ColumnConverter converter;
  private final @Nullable ConstantColumn constant;

  private PlannedColumn(
      Field field,
      boolean key,
      int input,
      @Nullable ColumnConverter converter,
      @Nullable ConstantColumn constant) {
    this.field = field;
    this.key = key;
    this.input = input;
    this.converter = converter;
    this.constant = constant;
  }

  static PlannedColumn sent(Field field, boolean key, int input, ColumnConverter converter) {
    return new PlannedColumn(field, key, input, converter, null);
  }

  static PlannedColumn filledIn(Field field, boolean key, ConstantColumn constant) {
    return new PlannedColumn(field, key, -1, null, constant);
  }

  /// The canonical field.
  Field field() {
    return field;
  }

  /// Whether it is, or holds, a part of the key.
  boolean key() {
    return key;
  }

  void convert(List<FieldVector> inputs, Slots slots, FieldVector out, Conversion run) {
    if (converter != null) {
      FieldVector in = inputs.get(input);
      converter.convert(in, slots, out, run);
    } else if (constant != null) {
      constant.fill(slots, out, run);
    }
  }
}
