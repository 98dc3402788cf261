package io.icewal.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.io.CloseableIterable;

/// The tables of a [ReadBench], of the same rows. In the one the newest rows are in the log only
/// and hide rows of its files; in the other all are in files, with deletion vectors.
public final class BenchTables {
  public static final String FRESH = "fresh_rows";
  public static final String STOCK = "stock_rows";

  private static final int CHUNK_ROWS = 1_000_000;
  private static final int TAIL_INSERTS = 20;

  /// @param baseRows in files, a multiple of 1,000
  /// @param tailRows upserts of keys of the base that are in the log only, a multiple of 20,000, or
  ///   of 20 if there are fewer
  public record Sizes(long baseRows, long tailRows) {
    /// How far the keys of the tail are apart.
    public long step() {
      return baseRows / tailRows;
    }
  }

  private final BenchEngine engine;

  public BenchTables(BenchEngine engine) {
    this.engine = engine;
  }

  /// Fills both, unless an earlier run did so in this folder.
  ///
  /// @throws BenchMain.UsageException if it did with other sizes
  public void fill(Sizes sizes) throws IOException {
    Path mark = engine.folder().resolve("bench.filled");
    String wanted = sizes.baseRows() + " rows, " + sizes.tailRows() + " in the log";
    if (Files.exists(mark)) {
      String filled = Files.readString(mark);
      if (!filled.equals(wanted)) {
        throw new BenchMain.UsageException(
            "folder " + engine.folder() + " has tables of " + filled + ", not of " + wanted);
      }
      return;
    }
    execute(engine.create(FRESH));
    execute(engine.create(STOCK));
    fill(FRESH, sizes.baseRows());
    shareFiles();
    for (String table : List.of(FRESH, STOCK)) {
      long rows = sizes.tailRows() / TAIL_INSERTS;
      for (int i = 0; i < TAIL_INSERTS; i++) {
        insert(table, engine.select(i * rows * sizes.step(), rows, sizes.step()));
      }
    }
    execute(engine.materialize(STOCK));
    Files.writeString(mark, wanted);
  }

  /// Fills a table with rows in files, so many at once as a commit takes.
  public void fill(String table, long count) {
    for (long from = 0; from < count; from += CHUNK_ROWS) {
      insert(table, engine.select(from, Math.min(CHUNK_ROWS, count - from), 1));
      execute(engine.materialize(table));
    }
  }

  private void insert(String table, String rows) {
    execute("INSERT INTO " + table + " " + rows);
  }

  private void execute(String statement) {
    engine.sql().execute(statement);
  }

  /// Both tables have the same data files: it is enough to write them once.
  private void shareFiles() throws IOException {
    AppendFiles append = engine.sql().tables().load(STOCK).newAppend();
    try (CloseableIterable<FileScanTask> files =
        engine.sql().tables().load(FRESH).newScan().includeColumnStats().planFiles()) {
      for (FileScanTask task : files) {
        append.appendFile(copy(task.file()));
      }
    }
    append.commit();
  }

  /// The file without what it is in its table, such as its row ids.
  private static DataFile copy(DataFile file) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(file.location())
        .withFormat(file.format())
        .withFileSizeInBytes(file.fileSizeInBytes())
        .withMetrics(
            new Metrics(
                file.recordCount(),
                file.columnSizes(),
                file.valueCounts(),
                file.nullValueCounts(),
                file.nanValueCounts(),
                file.lowerBounds(),
                file.upperBounds()))
        .withSplitOffsets(file.splitOffsets())
        .build();
  }
}
