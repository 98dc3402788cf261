package io.icewal.materialize;

import io.icewal.merge.Survivors;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;

/// The newest row of each key of a stretch of a keyed table's log, in chunks of ascending keys. Two
/// implementations: [MemoryRows], one chunk; [SpilledRows], any number, merged from runs on disk.
///
/// Each [#next] ends the life of what the chunk before gave out. Used by one thread.
interface SortedRows extends AutoCloseable {
  /// Whether all rows that the table held before are gone.
  boolean truncated();

  /// Moves on to the next chunk; false at the end.
  boolean next();

  /// Goes back before the first chunk.
  void rewind();

  /// The chunk's keys; their sources are numbers in [#sources].
  Survivors chunk();

  /// The key columns of the chunk's keys, in their order.
  VectorSchemaRoot keyRows();

  /// All columns of the chunk's sources in the form of the table's schema. A source without a
  /// surviving upsert may be empty.
  List<VectorSchemaRoot> sources();

  @Override
  void close();
}
