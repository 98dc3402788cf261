package io.icewal.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sun.misc.Signal;
import sun.misc.SignalHandler;

class InterruptionTest {
  private static final Signal INTERRUPT = new Signal("INT");

  private final CompletableFuture<Signal> handedOn = new CompletableFuture<>();
  private final AtomicInteger cancelled = new AtomicInteger();
  private SignalHandler ofTheJvm;

  @BeforeEach
  void takeSignals() {
    ofTheJvm = Signal.handle(INTERRUPT, handedOn::complete);
  }

  @AfterEach
  void giveBackSignals() {
    Signal.handle(INTERRUPT, ofTheJvm);
  }

  @Test
  void cancelsTheStatementThatRunsAndAnswersThatNoneAfterItIsToRun() throws Exception {
    CompletableFuture<Void> told = new CompletableFuture<>();
    try (Interruption interruption = new Interruption()) {
      try (Interruption.Running first = interruption.begin("1: ", () -> told.complete(null))) {
        Signal.raise(INTERRUPT);
        told.get(1, TimeUnit.MINUTES);
        assertThat(interruption.cancelled()).isTrue();
      }
      assertIsNotRun(interruption);
    }
    assertThat(handedOn).isNotDone();
  }

  /// Whose thread comes when the statement has ended, however early the signal came.
  @Test
  void aSignalBetweenTwoStatementsCancelsNoneThatIsDoneButTheNext() {
    try (Interruption interruption = new Interruption()) {
      interruption.begin("1: ", cancelled::incrementAndGet).close();
      Signal.raise(INTERRUPT);
      while (!interruption.cancelled()) {
        Thread.onSpinWait();
      }
      assertIsNotRun(interruption);
    }
    assertThat(cancelled).hasValue(0);
    assertThat(handedOn).isNotDone();
  }

  /// As an engine does that is still being sent the statement.
  @Test
  void cancelsAgainAsLongAsTheStatementRuns() throws Exception {
    CompletableFuture<Void> third = new CompletableFuture<>();
    try (Interruption interruption = new Interruption();
        Interruption.Running running =
            interruption.begin(
                "",
                () -> {
                  if (cancelled.incrementAndGet() == 3) {
                    third.complete(null);
                  }
                })) {
      Signal.raise(INTERRUPT);
      third.get(1, TimeUnit.MINUTES);
    }
    int ended = cancelled.get();
    assertThat(handedOn).isNotDone();
    assertThat(cancelled).hasValue(ended);
  }

  @Test
  void theSecondSignalDoesWhatItDidBefore() throws Exception {
    try (Interruption interruption = new Interruption();
        Interruption.Running running = interruption.begin("", cancelled::incrementAndGet)) {
      Signal.raise(INTERRUPT);
      while (!interruption.cancelled()) {
        Thread.onSpinWait();
      }
      Signal.raise(INTERRUPT);
      assertThat(handedOn.get(1, TimeUnit.MINUTES)).isEqualTo(INTERRUPT);
    }
    assertThat(cancelled).hasPositiveValue();
  }

  @Test
  void aSignalAfterTheLastStatementDoesWhatItDidBefore() throws Exception {
    try (Interruption interruption = new Interruption()) {
      interruption.begin("", cancelled::incrementAndGet).close();
    }
    Signal.raise(INTERRUPT);

    assertThat(handedOn.get(1, TimeUnit.MINUTES)).isEqualTo(INTERRUPT);
    assertThat(cancelled).hasValue(0);
  }

  private void assertIsNotRun(Interruption interruption) {
    assertThatThrownBy(() -> interruption.begin("2: ", cancelled::incrementAndGet))
        .isInstanceOfSatisfying(
            IcewalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAVAILABLE))
        .hasMessage("2: cancelled before it ran");
    assertThat(cancelled).hasValue(0);
  }
}
