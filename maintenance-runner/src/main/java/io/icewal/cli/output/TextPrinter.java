package io.icewal.cli.output;

import java.io.IOException;
import java.util.List;

/// Prints the batches of one result as text.
///
/// Implementations: [TablePrinter], [NdjsonPrinter], [JsonArrayPrinter], [CsvPrinter]. All batches
/// have the same cells. Ends and closes as a [RowPrinter].
public interface TextPrinter extends AutoCloseable {
  /// Prints a batch. One without rows tells the names of the columns.
  void print(List<Cell> row, int rows) throws IOException;

  /// Says that these were all rows, in formats that can: a count, an end mark.
  default void end() throws IOException {}

  /// Writes what is still held back.
  @Override
  void close() throws IOException;
}
