package io.icewal.cli.output;

import java.io.IOException;
import org.apache.arrow.vector.VectorSchemaRoot;

/// Prints the batches of one result.
///
/// Implementations: [TablePrinter], [NdjsonPrinter], [CsvPrinter], [ArrowPrinter]. The batches stay
/// the caller's; all of them come in the same root. Closing ends the output (a footer, a last
/// flush) and leaves the stream below open.
public interface RowPrinter extends AutoCloseable {
  /// Prints all rows of the root.
  void print(VectorSchemaRoot rows) throws IOException;

  @Override
  void close() throws IOException;
}
