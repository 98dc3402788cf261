package io.icewal.trino.read;

import io.trino.plugin.iceberg.IcebergColumnHandle;
import io.trino.spi.connector.ColumnHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// Columns to ask a page source for, each once: trino-iceberg's do not give one column twice. Used
/// by one thread.
final class SourceColumns {
  private final List<ColumnHandle> columns;

  SourceColumns(Collection<? extends ColumnHandle> wanted) {
    this.columns = new ArrayList<>(wanted);
  }

  /// Where a column comes; it is added if it does not come yet. Handles of one column may differ in
  /// what does not matter here, such as a comment.
  int channel(IcebergColumnHandle column) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i) instanceof IcebergColumnHandle other
          && other.getBaseColumnIdentity().getId() == column.getBaseColumnIdentity().getId()
          && other.getPath().equals(column.getPath())) {
        return i;
      }
    }
    columns.add(column);
    return columns.size() - 1;
  }

  /// Where each column comes.
  int[] channels(Collection<IcebergColumnHandle> all) {
    return all.stream().mapToInt(this::channel).toArray();
  }

  List<ColumnHandle> all() {
    return List.copyOf(columns);
  }
}
