package io.icewal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.merge.KeyColumns;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What travels of the rows that a process has found. The table has two files of one row each; what
/// is said to be found in them need not be there.
final class FoundRowsTest {
  private static final int ROWS = 100_000;

  @TempDir private Path folder;
  private TestWarehouse warehouse;
  private Table table;
  private List<LiveFile> files;

  @BeforeEach
  void open() {
    warehouse = new TestWarehouse(folder);
    warehouse.create(IcewalTablesTest.SCHEMA, PartitionSpec.unpartitioned());
    warehouse.append(List.of(List.of(1L, "a")));
    warehouse.append(List.of(List.of(2L, "b")));
    table = warehouse.load();
    files = List.copyOf(live().files());
  }

  @AfterEach
  void close() {
    warehouse.close();
  }

  private LiveFiles live() {
    return LiveFiles.of(table, KeyColumns.of(IcewalTablesTest.SCHEMA), new ManifestCache());
  }

  private static FoundRows found(LiveFile file, LongStream numbers) {
    long[] rows = numbers.toArray();
    long[] ids = new long[rows.length];
    Arrays.fill(ids, OldRows.NO_ROW_ID);
    FoundRows found = new FoundRows();
    found.add(
        new OldRows(
            Map.of(
                file.location(), new OldRows.InFile(file, null, new int[rows.length], rows, ids))));
    return found;
  }

  private static List<Long> rows(FoundRows found, LiveFile file) {
    List<Long> rows = new ArrayList<>();
    for (FoundRows.InFile inFile : found.files()) {
      if (inFile.file().location().equals(file.location())) {
        inFile.rows().forEach(rows::add);
      }
    }
    return rows;
  }

  @Test
  void rowsOfAllPartsArriveOnceEach() {
    FoundRows.Reader reader = new FoundRows.Reader(live(), table);
    FoundRows both =
        FoundRows.all(
            List.of(
                found(files.get(0), LongStream.of(9)),
                found(files.get(1), LongStream.of(1L << 33, 4))));

    FoundRows all =
        FoundRows.all(
            List.of(
                reader.read(both.toBytes()),
                reader.read(found(files.get(0), LongStream.of(3, 9)).toBytes()),
                reader.read(new FoundRows().toBytes())));

    assertThat(rows(all, files.get(0))).containsExactly(3L, 9L);
    assertThat(rows(all, files.get(1))).containsExactly(4L, 1L << 33);
    assertThat(all.count()).isEqualTo(4);
  }

  @Test
  void aRowTravelsInTwoBytesAndAllRowsOfAFileInNextToNone() {
    int names = found(files.get(0), LongStream.of(1)).toBytes().length;

    byte[] every20th = found(files.get(0), LongStream.range(0, ROWS).map(i -> i * 20)).toBytes();
    byte[] everySecond = found(files.get(0), LongStream.range(0, ROWS).map(i -> i * 2)).toBytes();
    byte[] all = found(files.get(0), LongStream.range(0, ROWS)).toBytes();

    assertThat(every20th.length - names).isLessThan(ROWS * 21 / 10);
    assertThat(everySecond.length - names).isLessThan(ROWS * 2 / 8 * 5 / 4);
    assertThat(all.length - names).isLessThan(100);
  }

  @Test
  void rowsOfAFileThatIsNotThereAreRefused() {
    FoundRows found = found(files.get(0), LongStream.of(0));

    assertThatThrownBy(() -> new FoundRows.Reader(LiveFiles.NONE, table).read(found.toBytes()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(files.get(0).location());
    assertThat(found.areIn(live())).isTrue();
    assertThat(found.areIn(LiveFiles.NONE)).isFalse();
  }
}
