package io.icewal.materialize;

import io.icewal.table.LiveFiles;
import io.icewal.table.OldRows;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;

/// What was done with the rows of one part of a cycle.
///
/// @param files what was written
/// @param found the old rows of the part's keys
/// @param ids a sum over the `_row_id`s that the part's rows continue: others than before mean that
///   files with them are wrong
public record PartResult(List<DataFile> files, OldRows found, long ids) {
  public PartResult {
    files = List.copyOf(files);
  }

  /// The form that travels to the process which commits.
  ///
  /// @param rows the found rows by the location of their data file; files without any are there,
  ///   too, so that they need not be looked at again
  public record Sent(List<DataFile> files, Map<String, long[]> rows, long ids)
      implements Serializable {

    /// @param live the data files in which the rows were found
    public PartResult received(LiveFiles live, Table table) {
      return new PartResult(files, OldRows.of(rows, live, table), ids);
    }
  }

  /// Without what only the writing of the rows needed.
  public Sent toSend() {
    Map<String, long[]> rows = new HashMap<>();
    found.byFile().forEach((location, inFile) -> rows.put(location, inFile.rows()));
    return new Sent(new ArrayList<>(files), rows, ids);
  }
}
