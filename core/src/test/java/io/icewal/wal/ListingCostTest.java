package io.icewal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.model.LogName;
import io.icewal.storage.MarkingObjectStore;
import io.icewal.storage.MemoryObjectStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;

/// Case b155, in small (thousands of delete markers for a million): nothing that has to go on lists
/// over what was deleted.
class ListingCostTest {
  private static final int ROUNDS = 40;
  private static final int SEGMENTS_PER_ROUND = 50;

  private final SplittableRandom random = new SplittableRandom(1);
  private final BufferAllocator allocator = new RootAllocator();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final MarkingObjectStore store = new MarkingObjectStore(new MemoryObjectStore(() -> now));
  private final LogRoot root = LogRoot.openOrCreate(store, 1, random);
  private final LogName log = root.log(0);

  @Test
  void b155_writersReadersAndTrimmersDoNotListOverWhatWasDeleted() {
    WalTrimmer trimmer = new WalTrimmer(root, log, random, TrimLimits.DEFAULTS, Runnable::run);
    WalWriter writer = writer();
    for (int round = 1; round <= ROUNDS; round++) {
      for (int i = 0; i < SEGMENTS_PER_ROUND; i++) {
        append(writer, i);
      }
      trimmer.trim(blocks -> TableState.at(writer.end().number()));
      now = now.plus(Duration.ofMinutes(61));
      trimmer.deleteBelowBoundary();
    }
    assertThat(store.markers()).isGreaterThan(ROUNDS * SEGMENTS_PER_ROUND - SEGMENTS_PER_ROUND);
    store.passed();

    append(writer, 1);
    append(writer(), 2);
    LogReader reader = new LogReader(root, log, Runnable::run, ReaderLimits.DEFAULTS);
    SegmentRun run = reader.read(reader.newestBoundary().number());
    assertThat(run.segments()).hasSize(2);
    assertThat(store.passed()).as("markers that writers and readers passed").isZero();

    WalTrimmer other = new WalTrimmer(root, log, random, TrimLimits.DEFAULTS, Runnable::run);
    other.trim(blocks -> TableState.at(run.end()));
    assertThat(store.passed()).as("markers that a trim round passed").isZero();

    now = now.plus(Duration.ofMinutes(61));
    trimmer.deleteBelowBoundary();
    assertThat(store.passed()).as("summaries and segments of the last round").isLessThan(100);
    allocator.close();
  }

  private WalWriter writer() {
    return new WalWriter(root, log, random, () -> now, null, WriterLimits.DEFAULTS);
  }

  private void append(WalWriter writer, long id) {
    List<AppendBatch> batches = List.of(Rows.upsert(allocator, 1, null, id, 1));
    assertThat(writer.append(batches).get(0)).isInstanceOf(AppendOutcome.Appended.class);
    Rows.close(batches);
  }
}
