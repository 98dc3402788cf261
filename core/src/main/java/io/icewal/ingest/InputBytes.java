package io.icewal.ingest;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/// The bytes that a batch holds, by the sizes of its buffers. Offsets are not looked at: nothing is
/// known yet about whether they can be trusted.
final class InputBytes {
  /// What a nested vector's own validity, offset and size buffers are taken for, for each value:
  /// they are small beside their children's.
  private static final int NESTED_BYTES = 8;

  private InputBytes() {}

  static long of(VectorSchemaRoot batch) {
    long bytes = 0;
    for (FieldVector vector : batch.getFieldVectors()) {
      bytes += of(vector);
    }
    return bytes;
  }

  static long of(FieldVector vector) {
    if (vector instanceof BaseFixedWidthVector) {
      return vector.getValidityBuffer().capacity() + vector.getDataBuffer().capacity();
    }
    if (vector instanceof BaseVariableWidthVector
        || vector instanceof BaseLargeVariableWidthVector) {
      return vector.getValidityBuffer().capacity()
          + vector.getOffsetBuffer().capacity()
          + vector.getDataBuffer().capacity();
    }
    if (vector instanceof BaseVariableWidthViewVector view) {
      long bytes = view.getValidityBuffer().capacity() + view.getDataBuffer().capacity();
      for (ArrowBuf buffer : view.getDataBuffers()) {
        bytes += buffer.capacity();
      }
      return bytes;
    }
    long bytes = (long) NESTED_BYTES * vector.getValueCount();
    for (FieldVector child : vector.getChildrenFromFields()) {
      bytes += of(child);
    }
    return bytes;
  }
}
