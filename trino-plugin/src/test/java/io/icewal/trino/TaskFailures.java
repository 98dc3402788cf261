package io.icewal.trino;

import io.airlift.units.Duration;
import io.trino.execution.FailureInjector;
import io.trino.spi.ErrorType;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Fails tasks of chosen statements, on all nodes of a server. Thread-safe.
final class TaskFailures implements FailureInjector {
  private final Map<String, Integer> stages = new ConcurrentHashMap<>();
  private final AtomicInteger met = new AtomicInteger();

  /// The first attempt of the first task of a stage fails.
  ///
  /// @param token of the statement's session
  void failOnce(String token, int stage) {
    stages.put(token, stage);
  }

  /// How many tasks have failed.
  int met() {
    return met.get();
  }

  @Override
  public void injectTaskFailure(
      String token,
      int stage,
      int partition,
      int attempt,
      InjectedFailureType type,
      Optional<ErrorType> error) {
    throw new UnsupportedOperationException("failOnce says which tasks fail");
  }

  @Override
  public Optional<InjectedFailure> getInjectedFailure(
      String token, int stage, int partition, int attempt) {
    if (partition != 0 || attempt != 0 || !stages.remove(token, stage)) {
      return Optional.empty();
    }
    met.incrementAndGet();
    return Optional.of(
        new InjectedFailure(
            InjectedFailureType.TASK_FAILURE, Optional.of(ErrorType.INTERNAL_ERROR)));
  }

  @Override
  public Duration getRequestTimeout() {
    return new Duration(5, TimeUnit.SECONDS);
  }
}
