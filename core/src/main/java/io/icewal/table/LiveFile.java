package io.icewal.table;

import io.icewal.merge.KeyRange;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;

/// A live data file and the deletes that apply to it: its deletion vector, or position deletes of
/// format version 2. All carry their manifest's location.
///
/// @param file the data file; column statistics of the key columns only
/// @param range the keys that it can hold
/// @param deletes what deletes rows of it by position
public record LiveFile(DataFile file, KeyRange range, List<DeleteFile> deletes) {
  public LiveFile {
    deletes = List.copyOf(deletes);
  }

  public String location() {
    return file.location();
  }

  /// Whether the other is the same file with the same deletes, so that what was found in it stands.
  boolean isSameAs(LiveFile other) {
    return location().equals(other.location()) && deleteNames().equals(other.deleteNames());
  }

  private List<String> deleteNames() {
    return deletes.stream().map(d -> d.location() + "#" + d.contentOffset()).sorted().toList();
  }
}
