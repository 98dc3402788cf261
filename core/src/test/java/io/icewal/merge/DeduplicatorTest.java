package io.icewal.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.BlockKind;
import io.icewal.model.RowOp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class DeduplicatorTest {
  /// One key's state in the oracle.
  private record Newest(int source, int row, boolean delete, boolean reborn) {}

  // b001, b010
  @Test
  void b001_theLastOfSeveralVersionsWins() {
    Deduplicator deduplicator = new Deduplicator();
    deduplicator.add(keys(1, 2, 1), 0, BlockKind.UPSERT, null);
    deduplicator.add(keys(1), 1, BlockKind.UPSERT, null);

    Survivors survivors = deduplicator.finish();

    assertThat(survivors.size()).isEqualTo(2);
    assertThat(survivors.sources()).containsExactly(1, 0);
    assertThat(survivors.rows()).containsExactly(0, 1);
    assertThat(survivors.reborn().isEmpty()).isTrue();
    assertThat(survivors.truncated()).isFalse();
  }

  // b008
  @Test
  void b008_insertDeleteInsertEndsAsAnUpsertThatIsReborn() {
    Deduplicator deduplicator = new Deduplicator();
    deduplicator.add(
        keys(1, 1, 1, 1),
        0,
        BlockKind.MIXED,
        new byte[] {RowOp.UPSERT, RowOp.DELETE, RowOp.UPSERT, RowOp.UPSERT});

    Survivors survivors = deduplicator.finish();

    assertThat(survivors.isDelete(0)).isFalse();
    assertThat(survivors.isReborn(0)).isTrue();
    assertThat(survivors.rows()).containsExactly(3);
  }

  @Test
  void aDeleteThatIsLastIsNotReborn() {
    Deduplicator deduplicator = new Deduplicator();
    deduplicator.add(keys(1), 0, BlockKind.DELETE, null);
    deduplicator.add(keys(1), 1, BlockKind.UPSERT, null);
    deduplicator.add(keys(1), 2, BlockKind.DELETE, null);

    Survivors survivors = deduplicator.finish();

    assertThat(survivors.isDelete(0)).isTrue();
    assertThat(survivors.isReborn(0)).isFalse();
    assertThat(survivors.upserts()).isZero();
  }

  @Test
  void opsWithoutMixedAreRefused() {
    Deduplicator deduplicator = new Deduplicator();

    assertThatThrownBy(() -> deduplicator.add(keys(1), 0, BlockKind.UPSERT, new byte[1]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> deduplicator.add(keys(1), 0, BlockKind.MIXED, null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> deduplicator.add(keys(1), 0, BlockKind.TRUNCATE, null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void randomHistoriesMatchAMap() {
    for (int seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      Deduplicator deduplicator = new Deduplicator();
      Map<Long, Newest> oracle = new TreeMap<>();
      boolean truncated = false;
      int batches = random.nextInt(12);
      for (int source = 0; source < batches; source++) {
        if (random.nextInt(10) == 0) {
          deduplicator.truncate();
          oracle.clear();
          truncated = true;
        }
        addRandomBatch(random, source, deduplicator, oracle, truncated);
      }
      assertMatches("seed " + seed, deduplicator.finish(), oracle, truncated);
    }
  }

  @Test
  void rowsOfSomeKeysSurviveAsTheyDoAmongAll() {
    for (int seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      Deduplicator all = new Deduplicator();
      Deduplicator some = new Deduplicator();
      long few = random.nextInt(8) - 4L;
      for (int source = 0; source < 5; source++) {
        if (random.nextInt(8) == 0) {
          all.truncate();
          some.truncate();
        }
        long[] values = random.longs(random.nextInt(40), -4, 4).toArray();
        BlockKind kind = BlockKind.values()[random.nextInt(3)];
        byte[] ops = new byte[values.length];
        for (int row = 0; row < ops.length; row++) {
          ops[row] = random.nextBoolean() ? RowOp.DELETE : RowOp.UPSERT;
        }
        int[] chosen =
            IntStream.range(0, values.length).filter(row -> values[row] >= few).toArray();
        all.add(keys(values), source, kind, kind == BlockKind.MIXED ? ops : null);
        some.addSome(keys(values), source, kind, kind == BlockKind.MIXED ? ops : null, chosen);
      }

      assertThat(texts(some.finish(), few)).as("seed " + seed).isEqualTo(texts(all.finish(), few));
    }
  }

  /// The survivors of keys from `lowest` on.
  private static List<String> texts(Survivors survivors, long lowest) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < survivors.size(); i++) {
      long key = survivors.keys().prefix(i) ^ Long.MIN_VALUE;
      if (key >= lowest) {
        texts.add(
            key
                + " in row "
                + survivors.rows()[i]
                + " of "
                + survivors.sources()[i]
                + (survivors.isDelete(i) ? " deleted" : "")
                + (survivors.isReborn(i) ? " reborn" : ""));
      }
    }
    return texts;
  }

  @Test
  void survivorsOfStretchesOneAfterTheOtherAreThoseOfTheWhole() {
    for (int seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      Map<Long, Newest> oracle = new TreeMap<>();
      boolean truncated = false;
      Survivors whole = new Deduplicator().finish();
      int source = 0;
      for (int stretch = 0; stretch < 4; stretch++) {
        Deduplicator deduplicator = new Deduplicator();
        for (int batches = random.nextInt(4); batches > 0; batches--) {
          if (random.nextInt(8) == 0) {
            deduplicator.truncate();
            oracle.clear();
            truncated = true;
          }
          addRandomBatch(random, source++, deduplicator, oracle, truncated);
        }
        whole = whole.then(deduplicator.finish());
        assertMatches("seed " + seed, whole, oracle, truncated);
      }
    }
  }

  @Test
  void survivorsOfKeysOfAnyLengthAreJoined() {
    Deduplicator older = new Deduplicator();
    older.add(
        KeyVector.ofBytes(new byte[] {1, 1, 2, 5}, new int[] {0, 1, 3, 4}),
        0,
        BlockKind.DELETE,
        null);
    Deduplicator newer = new Deduplicator();
    newer.add(
        KeyVector.ofBytes(new byte[] {1, 2, 3}, new int[] {0, 2, 3}), 1, BlockKind.UPSERT, null);

    Survivors both = older.finish().then(newer.finish());

    assertThat(java.util.stream.IntStream.range(0, 4).mapToObj(both.keys()::bytes))
        .containsExactly(new byte[] {1}, new byte[] {1, 2}, new byte[] {3}, new byte[] {5});
    assertThat(both.sources()).containsExactly(0, 1, 1, 0);
    assertThat(both.deletes().stream()).containsExactly(0, 3);
    assertThat(both.reborn().stream()).containsExactly(1);
  }

  // The reborn bit of a whole stretch is what two cycles over its halves would have done.
  @Test
  void cuttingAStretchInTwoKeepsOrChangesRowsAlike() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int count = 1 + random.nextInt(30);
      long[] keys = random.longs(count, 0, 5).toArray();
      byte[] ops = new byte[count];
      for (int i = 0; i < count; i++) {
        ops[i] = (byte) random.nextInt(2);
      }
      int cut = random.nextInt(count + 1);

      assertThat(rowIds(keys, ops, new int[] {0, count}))
          .as("seed " + seed)
          .isEqualTo(rowIds(keys, ops, new int[] {0, cut, count}));
    }
  }

  /// Applies cycles to a table that holds keys 0 to 4 with row ids 0 to 4: which keys are live at
  /// the end, and whether each still has its old id.
  private static Map<Long, Boolean> rowIds(long[] keys, byte[] ops, int[] cuts) {
    Map<Long, Boolean> table = new HashMap<>();
    for (long key = 0; key < 5; key++) {
      table.put(key, true);
    }
    for (int c = 1; c < cuts.length; c++) {
      Deduplicator deduplicator = new Deduplicator();
      long[] part = java.util.Arrays.copyOfRange(keys, cuts[c - 1], cuts[c]);
      byte[] partOps = java.util.Arrays.copyOfRange(ops, cuts[c - 1], cuts[c]);
      deduplicator.add(keys(part), 0, BlockKind.MIXED, partOps);
      Survivors survivors = deduplicator.finish();
      for (int i = 0; i < survivors.size(); i++) {
        long key = survivors.keys().prefix(i) ^ Long.MIN_VALUE;
        Boolean old = table.remove(key);
        if (!survivors.isDelete(i)) {
          table.put(key, old != null && old && !survivors.isReborn(i));
        }
      }
    }
    return table;
  }

  private static void addRandomBatch(
      Random random,
      int source,
      Deduplicator deduplicator,
      Map<Long, Newest> oracle,
      boolean truncated) {
    int count = random.nextInt(40);
    long[] keys = random.longs(count, -4, 4).toArray();
    BlockKind kind = BlockKind.values()[random.nextInt(3)];
    byte[] ops = new byte[count];
    for (int row = 0; row < count; row++) {
      ops[row] = (byte) random.nextInt(2);
      boolean delete = kind == BlockKind.MIXED ? ops[row] == 1 : kind == BlockKind.DELETE;
      Newest old = oracle.get(keys[row]);
      boolean deletedBefore = old == null ? truncated : old.delete() || old.reborn();
      oracle.put(keys[row], new Newest(source, row, delete, deletedBefore));
    }
    deduplicator.add(keys(keys), source, kind, kind == BlockKind.MIXED ? ops : null);
  }

  private static void assertMatches(
      String seed, Survivors survivors, Map<Long, Newest> oracle, boolean truncated) {
    assertThat(survivors.truncated()).as(seed).isEqualTo(truncated);
    List<Long> keys = new ArrayList<>();
    for (int i = 0; i < survivors.size(); i++) {
      long key = survivors.keys().prefix(i) ^ Long.MIN_VALUE;
      keys.add(key);
      Newest newest = Objects.requireNonNull(oracle.get(key), seed);
      assertThat(survivors.sources()[i]).as(seed).isEqualTo(newest.source());
      assertThat(survivors.rows()[i]).as(seed).isEqualTo(newest.row());
      assertThat(survivors.isDelete(i)).as(seed).isEqualTo(newest.delete());
      assertThat(survivors.isReborn(i)).as(seed).isEqualTo(!newest.delete() && newest.reborn());
    }
    assertThat(keys).as(seed).isEqualTo(new ArrayList<>(oracle.keySet()));
  }

  private static KeyVector keys(long... values) {
    long[] prefixes = values.clone();
    for (int i = 0; i < prefixes.length; i++) {
      prefixes[i] ^= Long.MIN_VALUE;
    }
    return KeyVector.ofPrefixes(prefixes);
  }
}
