package io.icewal.ingest;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;

/// Checks and converts batches column by column.
final class RowValidator {
  RowValidator(
      RowPlan plan, StreamOptions.Mode mode, IngestLimits limits, BufferAllocator allocator) {}

  ValidatedBatch validate(VectorSchemaRoot batch, DictionaryProvider dictionaries) {
    throw new UnsupportedOperationException();
  }
}
