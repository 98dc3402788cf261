package io.icewal.cli.output;

import java.io.IOException;
import org.apache.arrow.vector.VectorSchemaRoot;

/// Prints the Arrow batches of one result.
///
/// Implementations: [ArrowAsText], [ArrowPrinter]. The batches stay the caller's; all of them come
/// in the same root. A result that breaks off is closed without [#end], so that nothing after its
/// rows says that they are all. Closing leaves the stream below open.
public interface RowPrinter extends AutoCloseable {
  /// Prints all rows of the root.
  void print(VectorSchemaRoot rows) throws IOException;

  /// Says that these were all rows, in formats that can: a count, an end mark.
  default void end() throws IOException {}

  /// Writes what is still held back.
  @Override
  void close() throws IOException;
}
