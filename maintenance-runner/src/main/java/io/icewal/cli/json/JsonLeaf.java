package io.icewal.cli.json;

import org.apache.arrow.vector.FieldVector;

/// A column of plain values: each goes to one place of one vector.
abstract class JsonLeaf<V extends FieldVector> extends JsonColumn {
  final V vector;

  JsonLeaf(String path, V vector) {
    super(path);
    this.vector = vector;
  }

  @Override
  final FieldVector vector() {
    return vector;
  }

  @Override
  void writeNull(int index) {
    vector.setNull(index);
  }
}
