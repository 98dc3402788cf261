package io.icewal;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;

/// Core takes clock, randomness and threads by constructor, so that a simulator can hold them.
final class Purity {
  /// Fully qualified methods; `*` stands for every method of the type.
  private static final Set<String> OUTSIDE =
      Set.of(
          "java.lang.System.currentTimeMillis",
          "java.lang.System.nanoTime",
          "java.time.Instant.now",
          "java.time.LocalDate.now",
          "java.time.LocalDateTime.now",
          "java.time.LocalTime.now",
          "java.time.OffsetDateTime.now",
          "java.time.ZonedDateTime.now",
          "java.time.InstantSource.system",
          "java.time.Clock.systemUTC",
          "java.time.Clock.systemDefaultZone",
          "java.time.Clock.system",
          "java.lang.Math.random",
          "java.util.UUID.randomUUID",
          "java.util.Random.*",
          "java.util.SplittableRandom.*",
          "java.security.SecureRandom.*",
          "java.util.concurrent.ThreadLocalRandom.*",
          "java.lang.Thread.<init>",
          "java.lang.Thread.start",
          "java.lang.Thread.sleep",
          "java.util.concurrent.Executors.*",
          "java.util.concurrent.ForkJoinPool.*",
          "java.util.Timer.*",
          "java.util.Collection.parallelStream",
          "java.util.concurrent.ThreadPoolExecutor.<init>");

  /// These run on a pool of the whole process unless an executor is given as last argument.
  private static final Set<String> POOLED =
      Set.of("supplyAsync", "runAsync", "thenApplyAsync", "thenAcceptAsync", "thenRunAsync");

  static final ArchCondition<JavaClass> CALL_THE_OUTSIDE =
      new ArchCondition<>("read a clock, draw a random number, or start a thread") {
        @Override
        public void check(JavaClass type, ConditionEvents events) {
          for (JavaAccess<?> access : type.getAccessesFromSelf()) {
            if (isOutside(access)) {
              events.add(SimpleConditionEvent.satisfied(type, access.getDescription()));
            }
          }
        }
      };

  private Purity() {}

  private static boolean isOutside(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    if (owner.equals("java.util.concurrent.CompletableFuture")) {
      return POOLED.contains(access.getName())
          && !access.getTarget().getDescription().contains("Executor");
    }
    return OUTSIDE.contains(owner + "." + access.getName()) || OUTSIDE.contains(owner + ".*");
  }
}
