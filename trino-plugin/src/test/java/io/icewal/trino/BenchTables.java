package io.icewal.trino;

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
final class BenchTables {
  static final String FRESH = "fresh_rows";
  static final String STOCK = "stock_rows";

  private static final int CHUNK_ROWS = 1_000_000;
  private static final int TAIL_INSERTS = 20;

  private final TrinoServer trino;
  private final ReadBench.Sizes sizes;

  BenchTables(TrinoServer trino, ReadBench.Sizes sizes) {
    this.trino = trino;
    this.sizes = sizes;
  }

  /// Fills both, unless an earlier run did so in this folder.
  ///
  /// @throws IllegalArgumentException if it did with other sizes
  void fill() throws IOException {
    Path mark = trino.folder.resolve("bench.filled");
    String wanted = sizes.baseRows() + " rows, " + sizes.tailRows() + " in the log";
    if (Files.exists(mark)) {
      String filled = Files.readString(mark);
      if (!filled.equals(wanted)) {
        throw new IllegalArgumentException(
            "folder " + trino.folder + " has tables of " + filled + ", not of " + wanted);
      }
      return;
    }
    create(FRESH);
    create(STOCK);
    for (long from = 0; from < sizes.baseRows(); from += CHUNK_ROWS) {
      insert(FRESH, from, Math.min(CHUNK_ROWS, sizes.baseRows() - from), 1);
      materialize(FRESH);
    }
    shareFiles();
    for (String table : List.of(FRESH, STOCK)) {
      long rows = sizes.tailRows() / TAIL_INSERTS;
      for (int i = 0; i < TAIL_INSERTS; i++) {
        insert(table, i * rows * sizes.step(), rows, sizes.step());
      }
    }
    materialize(STOCK);
    Files.writeString(mark, wanted);
  }

  /// All of it, in as many commits as that takes.
  private void materialize(String table) {
    trino.execute("CALL icewal.system.materialize('s', '" + table + "')");
  }

  /// What the log holds of the table with a tail.
  String tail() {
    return trino.rows("SELECT rows, blocks, segments FROM icewal.s.\"" + FRESH + "$tail\"").get(0);
  }

  private void create(String table) {
    trino.execute(
        "CREATE TABLE "
            + table
            + " (id bigint, customer varchar, city varchar, code varchar, a double, b double,"
            + " c double, at timestamp(6) with time zone) WITH (primary_key = ARRAY['id'])");
  }

  /// Both tables have the same data files: it is enough to write them once.
  private void shareFiles() throws IOException {
    AppendFiles append = trino.tables.load(STOCK).newAppend();
    try (CloseableIterable<FileScanTask> files =
        trino.tables.load(FRESH).newScan().includeColumnStats().planFiles()) {
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

  /// Rows of the keys `from`, `from + step` and so on.
  private void insert(String table, long from, long rows, long step) {
    long wide = Math.min(rows, 1_000);
    trino.execute(
        """
        INSERT INTO %s
        SELECT id, 'customer-' || CAST(id %% 1000 AS varchar),
          'city-' || CAST(id * 7919 %% 100003 AS varchar),
          to_hex(xxhash64(to_big_endian_64(id))),
          id * 31 %% 1000003 / 7e0, id / 3e0, random(), from_unixtime(1700000000 + id)
        FROM (SELECT (i * %d + j) * %d + %d id
          FROM UNNEST(sequence(0, %d)) x(i), UNNEST(sequence(0, %d)) y(j))"""
            .formatted(table, wide, step, from, rows / wide - 1, wide - 1));
  }
}
