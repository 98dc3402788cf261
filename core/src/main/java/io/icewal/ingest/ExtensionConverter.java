package io.icewal.ingest;

import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;

/// Extension types known to this process: their storage is what is converted. Unknown ones arrive
/// as their storage anyway.
final class ExtensionConverter implements ColumnConverter {
  private final ColumnConverter storage;

  ExtensionConverter(ColumnConverter storage) {
    this.storage = storage;
  }

  @Override
  public void convert(FieldVector in, Slots slots, FieldVector out, Conversion run) {
    storage.convert(
        (FieldVector) ((ExtensionTypeVector<?>) in).getUnderlyingVector(), slots, out, run);
  }
}
