package io.icewal.cli.output;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// The rows of one result of SQL, in batches, to be printed once. Not thread-safe.
///
/// Implementations: [ResultRows], [TextRows].
///
/// @param <E> what getting rows may throw beside [IOException]
public abstract class ResultBatches<E extends Exception> {
  /// One of each column; they show the batch that was got last.
  abstract List<Cell> cells();

  /// Gets the next batch.
  ///
  /// @return its number of rows, 0 at the end
  abstract int nextBatch() throws IOException, E;

  /// For formats in which a value is found by its column's name.
  ///
  /// @throws IcewalException INVALID if a name stands twice
  public final void requireDistinctNames() {
    Set<String> names = new HashSet<>();
    for (Cell cell : cells()) {
      if (!names.add(cell.name)) {
        throw new IcewalException(
            ErrorKind.INVALID,
            "two columns are called '" + cell.name + "'; give one another name with AS");
      }
    }
  }

  /// Prints all rows, and the printer's end.
  ///
  /// @param enough whether nobody reads on; looked at after each batch
  public final void print(TextPrinter printer, BooleanSupplier enough) throws IOException, E {
    int rows = nextBatch();
    printer.print(cells(), rows);
    while (rows > 0 && !enough.getAsBoolean()) {
      rows = nextBatch();
      if (rows > 0) {
        printer.print(cells(), rows);
      }
    }
    if (!enough.getAsBoolean()) {
      printer.end();
    }
  }
}
