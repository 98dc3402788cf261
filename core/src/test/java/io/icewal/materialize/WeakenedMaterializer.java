package io.icewal.materialize;

import io.icewal.table.IcewalTables;
import io.icewal.table.TestGuards;
import io.icewal.tail.TailReader;
import java.util.random.RandomGenerator;
import org.apache.arrow.memory.BufferAllocator;

/// A materializer that commits without one guard, for tests which show that the guard matters.
public final class WeakenedMaterializer {
  private WeakenedMaterializer() {}

  /// @param guard the name of a guard of the table's commits
  public static Materializer without(
      String guard,
      IcewalTables tables,
      TailReader tails,
      MaterializeConfig config,
      BufferAllocator allocator,
      RandomGenerator random) {
    return new Materializer(
        tables,
        tails,
        config,
        allocator,
        random,
        (table, expected) -> TestGuards.commitWithout(guard, table, expected));
  }
}
