package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.merge.KeyRange;
import io.icewal.merge.KeyVector;
import io.icewal.parquet.KeyPageCache;
import io.icewal.parquet.ParquetColumnReader;
import io.icewal.parquet.ReadContext;
import io.icewal.table.LiveFile;
import io.icewal.table.LiveFiles;
import io.icewal.table.ManifestCache;
import io.icewal.table.TablePosition;
import io.icewal.tail.TableAt;
import io.icewal.tail.TailOf;
import io.icewal.tail.TailReader;
import io.icewal.wal.LogReader;
import io.icewal.wal.ReaderLimits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
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
  private final KeyRange wanted;
  private final List<String> rows = new ArrayList<>();

  /// The keys of the rows, in their order; none of a table without key.
  private final List<byte[]> keys = new ArrayList<>();

  private EngineRead(FreshFixture fixture, TailOf<Table> tail, KeyRange wanted) {
    this.fixture = fixture;
    this.table = tail.table().table();
    this.cut = FreshCut.of(table.schema(), table.specs(), tail.tail(), wanted, fixture.allocator);
    this.wanted = wanted;
  }

  static void check(FreshFixture fixture, Random random, List<String> expected, String replay) {
    EngineRead all = read(fixture, fixture.services.tails(), KeyRange.ALL);
    assertThat(all.sorted(KeyRange.ALL)).as(replay + ", as an engine").isEqualTo(expected);
    if (!all.keys.isEmpty()) {
      byte[] key = all.keys.get(random.nextInt(all.keys.size()));
      byte[] start = Arrays.copyOf(key, random.nextInt(key.length + 1));
      KeyRange wanted = new KeyRange(start, random.nextInt(4) == 0 ? new byte[0] : start);

      // By a process that does not know all keys yet.
      EngineRead some = read(fixture, fixture.tails(), wanted);

      assertThat(some.sorted(wanted))
          .as(replay + ", as an engine that wants " + wanted)
          .isEqualTo(all.sorted(wanted));
    }
  }

  private static EngineRead read(FreshFixture fixture, TailReader tails, KeyRange wanted) {
    TailOf<Table> tail = tails.read(fixture.table().uuid(), () -> load(fixture), null);
    EngineRead read = new EngineRead(fixture, tail, wanted);
    read.files();
    read.pieces(1 << 10);
    return read;
  }

  /// The rows in a range.
  private List<String> sorted(KeyRange range) {
    if (range.equals(KeyRange.ALL)) {
      return rows.stream().sorted().toList();
    }
    List<String> chosen = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      byte[] key = keys.get(i);
      boolean isIn = range.rows(KeyVector.ofBytes(key, new int[] {0, key.length})).length > 0;
      if (isIn) {
        chosen.add(rows.get(i));
      }
    }
    chosen.sort(null);
    return chosen;
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
        KeyVector encoded = cut.key().isEmpty() ? null : cut.key().encode(root);
        for (int i = 0; i < texts.size(); i++) {
          long row = reader.firstRow() + i;
          if (Arrays.binarySearch(hidden, row) < 0 && !deleted.isDeleted(row)) {
            rows.add(texts.get(i));
            if (encoded != null) {
              keys.add(encoded.bytes(i));
            }
          }
        }
      }
    }
  }

  private void pieces(long rawBytesMax) {
    LogReader reader =
        new LogReader(fixture.root, cut.tail().from().log(), Runnable::run, ReaderLimits.DEFAULTS);
    long count = 0;
    for (TailPiece piece : cut.pieces(rawBytesMax, wanted)) {
      TailPiece received = TailPiece.fromBytes(piece.toBytes());
      assertThat(received.rows()).isEqualTo(piece.rows());
      count += piece.rows();
      assertThat(count(received, reader)).isEqualTo(piece.rows());
      try (TailPiece.Rows batches =
          received.open(reader, new Schema(table.schema().columns()), fixture.allocator)) {
        for (VectorSchemaRoot root = batches.next(); root != null; root = batches.next()) {
          rows.addAll(RowText.rows(root));
          KeyVector encoded = cut.key().isEmpty() ? null : cut.key().encode(root);
          for (int i = 0; encoded != null && i < encoded.size(); i++) {
            keys.add(encoded.bytes(i));
          }
        }
      }
    }
    if (wanted.equals(KeyRange.ALL)) {
      assertThat(count).isEqualTo(cut.liveRows());
    }
  }

  /// Rows without columns, which ask nothing of the log where the plan has read the keys.
  private long count(TailPiece piece, LogReader reader) {
    long count = 0;
    fixture.store.reset();
    try (TailPiece.Rows rows = piece.open(reader, new Schema(), fixture.allocator)) {
      for (VectorSchemaRoot root = rows.next(); root != null; root = rows.next()) {
        count += root.getRowCount();
      }
    }
    if (!cut.key().isEmpty()) {
      assertThat(fixture.store.counts()).isEmpty();
    }
    return count;
  }
}
