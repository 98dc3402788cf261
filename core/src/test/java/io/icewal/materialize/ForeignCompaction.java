package io.icewal.materialize;

import io.icewal.table.TestWarehouse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;

/// Compaction as another engine does it: all rows of an unpartitioned table into one data file,
/// with `_row_id` and `_last_updated_sequence_number` copied, in the order in which they come.
public final class ForeignCompaction {
  private ForeignCompaction() {}

  public static void run(Table table) {
    Snapshot snapshot = table.currentSnapshot();
    Schema lineage = MetadataColumns.schemaWithRowLineage(table.schema());
    Set<DataFile> old = new HashSet<>();
    List<List<Object>> rows = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles();
        CloseableIterable<Record> records = IcebergGenerics.read(table).project(lineage).build()) {
      tasks.forEach(task -> old.add(task.file()));
      for (Record record : records) {
        List<Object> row = new ArrayList<>();
        for (int i = 0; i < lineage.columns().size(); i++) {
          row.add(record.get(i));
        }
        rows.add(row);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (old.isEmpty()) {
      return;
    }
    RewriteFiles rewrite = table.newRewrite().validateFromSnapshot(snapshot.snapshotId());
    old.forEach(rewrite::deleteFile);
    if (!rows.isEmpty()) {
      rewrite.addFile(TestWarehouse.write(table, lineage, rows));
    }
    rewrite.dataSequenceNumber(snapshot.sequenceNumber()).commit();
  }
}
