package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.merge.KeyRange;
import io.icewal.parquet.KeyPageCache;
import io.icewal.parquet.ParquetColumnReader;
import io.icewal.parquet.ReadContext;
import io.icewal.table.LiveFile;
import io.icewal.table.LiveFiles;
import io.icewal.table.ManifestCache;
import io.icewal.table.TablePosition;
import io.icewal.tail.TableAt;
import io.icewal.tail.TailOf;
import io.icewal.wal.LogReader;
import io.icewal.wal.ReaderLimits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;

/// Reads a table as an engine does that plans the snapshot's files itself and reads each file, and
/// each piece of the tail, in another process: all that crosses over goes through its bytes.
final class EngineRead {
  private final FreshFixture fixture;
  private final Table table;
  private final FreshCut cut;
  private final List<String> rows = new ArrayList<>();

  private EngineRead(FreshFixture fixture, TailOf<Table> tail) {
    this.fixture = fixture;
    this.table = tail.table().table();
    this.cut = FreshCut.of(table.schema(), table.specs(), tail.tail(), fixture.allocator);
  }

  static void check(FreshFixture fixture, List<String> expected, String replay) {
    TailOf<Table> tail =
        fixture.services.tails().read(fixture.table().uuid(), () -> load(fixture), null);
    EngineRead read = new EngineRead(fixture, tail);

    read.files();
    read.pieces(1 << 10);

    read.rows.sort(null);
    assertThat(read.rows).as(replay + ", as an engine").isEqualTo(expected);
  }

  private static TableAt<Table> load(FreshFixture fixture) {
    Table table = fixture.table();
    return TableAt.of(table, TablePosition.valid(table).orElseThrow().position());
  }

  private void files() {
    LiveFiles files = LiveFiles.of(table, table.currentSnapshot(), cut.key(), new ManifestCache());
    for (LiveFile file : cut.hidesAll() ? List.<LiveFile>of() : files.files()) {
      KeySlice slice = KeySlice.fromBytes(cut.slice(file.file()).toBytes());
      readFile(file, slice);
    }
  }

  private void readFile(LiveFile live, KeySlice slice) {
    DataFile file = live.file();
    ReadContext context = ReadContext.of(file, table.specs().get(file.specId()), null);
    long[] hidden =
        HiddenRows.find(
            table.io().newInputFile(file), file, cut.key(), slice, context, new KeyPageCache());
    PositionDeleteIndex deleted =
        new BaseDeleteLoader(table.io()::newInputFile)
            .loadPositionDeletes(live.deletes(), file.location());
    Schema schema = new Schema(table.schema().columns());
    try (ParquetColumnReader reader =
        ParquetColumnReader.open(
            table.io().newInputFile(file), schema, context, fixture.allocator)) {
      for (VectorSchemaRoot root = reader.next(); root != null; root = reader.next()) {
        List<String> texts = RowText.rows(root);
        for (int i = 0; i < texts.size(); i++) {
          long row = reader.firstRow() + i;
          if (Arrays.binarySearch(hidden, row) < 0 && !deleted.isDeleted(row)) {
            rows.add(texts.get(i));
          }
        }
      }
    }
  }

  private void pieces(long rawBytesMax) {
    LogReader reader =
        new LogReader(fixture.root, cut.tail().from().log(), Runnable::run, ReaderLimits.DEFAULTS);
    long count = 0;
    for (TailPiece piece : cut.pieces(rawBytesMax, KeyRange.ALL)) {
      TailPiece received = TailPiece.fromBytes(piece.toBytes());
      assertThat(received.rows()).isEqualTo(piece.rows());
      count += piece.rows();
      try (TailPiece.Rows batches =
          received.open(reader, new Schema(table.schema().columns()), fixture.allocator)) {
        for (VectorSchemaRoot root = batches.next(); root != null; root = batches.next()) {
          rows.addAll(RowText.rows(root));
        }
      }
    }
    assertThat(count).isEqualTo(cut.liveRows());
  }
}
