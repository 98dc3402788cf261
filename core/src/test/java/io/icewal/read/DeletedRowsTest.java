package io.icewal.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.parquet.RowGroups;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;

class DeletedRowsTest {
  @Test
  void aRowThatIsBothDeletedAndHiddenIsCountedOnce() {
    Random random = new Random(3);
    for (int round = 0; round < 300; round++) {
      Set<Long> deleted = some(random);
      Set<Long> hidden = some(random);
      long from = random.nextInt(40);
      long to = from + random.nextInt(41);

      DeletedRows rows =
          new DeletedRows(
              deleted.isEmpty() && random.nextBoolean()
                  ? null
                  : Deletes.toPositionIndex(CloseableIterable.withNoopClose(deleted)),
              hidden.stream().mapToLong(Long::longValue).toArray());

      assertThat(rows.count(new RowGroups.Rows(from, to)))
          .as("round " + round + ": " + deleted + " and " + hidden + " from " + from + " to " + to)
          .isEqualTo(
              LongStream.range(from, to)
                  .filter(row -> deleted.contains(row) || hidden.contains(row))
                  .count());
    }
  }

  private static Set<Long> some(Random random) {
    Set<Long> rows = new TreeSet<>();
    for (int i = random.nextInt(20); i > 0; i--) {
      rows.add((long) random.nextInt(60));
    }
    return rows;
  }
}
