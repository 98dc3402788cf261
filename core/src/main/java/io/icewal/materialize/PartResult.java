package io.icewal.materialize;

import io.icewal.table.FoundRows;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;

/// What was done with the rows of one part of a cycle.
///
/// @param files what was written
/// @param found the old rows of the part's keys
/// @param ids a sum over the `_row_id`s that the part's rows continue: others than before mean that
///   files with them are wrong
public record PartResult(List<DataFile> files, FoundRows found, long ids) {
  public PartResult {
    files = List.copyOf(files);
  }

  /// The form that travels to the process which commits.
  ///
  /// @param found bytes of [FoundRows]
  public record Sent(List<DataFile> files, byte[] found, long ids) implements Serializable {

    /// @param reader knows the snapshot in which the rows were found
    public PartResult received(FoundRows.Reader reader) {
      return new PartResult(files, reader.read(found), ids);
    }
  }

  /// Without what only the writing of the rows needed.
  public Sent toSend() {
    return new Sent(new ArrayList<>(files), found.toBytes(), ids);
  }
}
