package io.icewal.table;

import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.jspecify.annotations.Nullable;

/// Loads which rows of a file are deleted, from its deletion vector or position delete files.
final class DeleteLoader {
  private final BaseDeleteLoader loader;

  DeleteLoader(Table table) {
    this.loader =
        new BaseDeleteLoader(
            file -> EncryptingFileIO.combine(table.io(), table.encryption()).newInputFile(file));
  }

  /// The deleted rows; null if the file has no deletes.
  @Nullable PositionDeleteIndex load(LiveFile file) {
    return file.deletes().isEmpty()
        ? null
        : loader.loadPositionDeletes(file.deletes(), file.location());
  }
}
