package io.icewal.materialize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class UndoTest {
  private final AtomicInteger undone = new AtomicInteger();

  @Test
  void whatIsKeptIsNotUndone() {
    try (Undo undo = new Undo(undone::incrementAndGet)) {
      undo.keep();
    }

    assertThat(undone.get()).isZero();
  }

  @Test
  void whatIsNotKeptIsUndoneAfterAnErrorToo() {
    assertThatThrownBy(
            () -> {
              try (Undo undo = new Undo(undone::incrementAndGet)) {
                throw new StackOverflowError("deep");
              }
            })
        .isInstanceOf(StackOverflowError.class);

    assertThat(undone.get()).isEqualTo(1);
  }

  @Test
  void failureThatLedToItIsToldFirst() {
    assertThatThrownBy(
            () -> {
              try (Undo undo =
                  new Undo(
                      () -> {
                        throw new IllegalStateException("second");
                      })) {
                throw new IllegalArgumentException("first");
              }
            })
        .hasMessage("first")
        .satisfies(
            first ->
                assertThat(first.getSuppressed())
                    .singleElement()
                    .satisfies(second -> assertThat(second).hasMessage("second")));
  }
}
