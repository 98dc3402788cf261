package io.icewal.ingest;

import org.apache.arrow.vector.FieldVector;

/// Converts one column, or a part of a nested one, to its canonical form. Chosen once for a stream
/// by [ConverterPlanner]; holds no state of a batch.
interface ColumnConverter {
  /// Fills an empty canonical vector with one value for each slot. The input stays as it is; its
  /// buffers may be shared. Bad values become verdicts, and nulls or whatever in the output.
  ///
  /// @param in a vector of the Arrow type that this converter was chosen for; its contents are not
  ///   trusted
  /// @throws BatchRefused if the input contradicts itself, or the batch gets too large
  void convert(FieldVector in, Slots slots, FieldVector out, Conversion run);
}
