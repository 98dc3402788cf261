package io.icewal.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.ingest.IngestLimits;
import org.junit.jupiter.api.Test;

class IncomingLimitsTest {
  private static final long GIB = 1L << 30;

  @Test
  void aGibibyteOfDirectMemoryTakesTheLargestBatch() {
    IncomingLimits limits = IncomingLimits.of(IngestLimits.defaults(), GIB);

    assertThat(limits.message()).isEqualTo(136 << 20);
    assertThat(limits.arriving()).isEqualTo(GIB / 6);
  }

  @Test
  void aSmallServerTakesSmallerMessages() {
    IncomingLimits limits = IncomingLimits.of(IngestLimits.defaults(), GIB / 8);

    assertThat(limits.message()).isEqualTo((128 << 20) / 6);
    assertThat(limits.arriving()).isEqualTo((128 << 20) / 6);
  }

  @Test
  void messagesLeaveRoomInDirectMemoryWhateverItsSize() {
    for (long direct = 1 << 20; direct < 1L << 40; direct *= 2) {
      IncomingLimits limits = IncomingLimits.of(IngestLimits.defaults(), direct);

      assertThat(2 * limits.arriving() + limits.taken() + limits.kept())
          .as("in %d bytes", direct)
          .isLessThan(direct * 4 / 5);
    }
  }

  @Test
  void theBoundOfThisJvmIsItsOwn() {
    assertThat(IncomingLimits.directBytesMax()).isBetween(1L << 20, 1L << 50);
  }
}
