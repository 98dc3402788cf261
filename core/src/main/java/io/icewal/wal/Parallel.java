package io.icewal.wal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;

/// Runs requests several at a time, and not more.
///
/// @param executor runs them; it may run them in the calling thread
/// @param atOnce how many are in flight at most
record Parallel(Executor executor, int atOnce) {

  /// The results in the order of the inputs. A failure is thrown once those in flight are done.
  <A, B> List<B> map(List<A> inputs, Function<A, B> request) {
    Deque<CompletableFuture<B>> flying = new ArrayDeque<>();
    List<B> results = new ArrayList<>(inputs.size());
    try {
      for (A input : inputs) {
        if (flying.size() == atOnce) {
          results.add(flying.remove().join());
        }
        flying.add(CompletableFuture.supplyAsync(() -> request.apply(input), executor));
      }
      while (!flying.isEmpty()) {
        results.add(flying.remove().join());
      }
      return results;
    } catch (CompletionException e) {
      CompletableFuture.allOf(flying.toArray(CompletableFuture[]::new))
          .handle((nothing, alsoFailed) -> null)
          .join();
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
