package io.icewal.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/// What goes wrong between an actor and the store or the catalog, by the seed: requests that fail
/// before they are applied, requests that are applied while their answer is lost, and requests that
/// travel on and land long after their sender gave up.
final class Faults {
  private final RandomGenerator random;
  private final int perMille;
  private final List<Runnable> travelling = new ArrayList<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private boolean off = true;

  /// What happens to one write.
  enum Fate {
    ARRIVES,
    LOST_ANSWER,
    FAILS,
    TRAVELS
  }

  Faults(RandomGenerator random, int perMille) {
    this.random = random;
    this.perMille = perMille;
  }

  /// Things go wrong from now on.
  void on() {
    off = false;
  }

  /// Nothing goes wrong from now on; what is travelling still may land.
  void off() {
    off = true;
  }

  boolean readFails(String what) {
    return !off
        && random.nextInt(1000) < perMille / 4 + 1
        && perMille > 0
        && count(what + " fails");
  }

  Fate fateOfWrite(String what) {
    if (off || random.nextInt(1000) >= perMille) {
      return Fate.ARRIVES;
    }
    Fate fate = Fate.values()[1 + random.nextInt(3)];
    count(what + " " + fate.name().toLowerCase(java.util.Locale.ROOT));
    return fate;
  }

  boolean count(String what) {
    return count(what, 1);
  }

  boolean count(String what, int times) {
    counts.merge(what, times, Integer::sum);
    return true;
  }

  Map<String, Integer> counts() {
    return counts;
  }

  /// A write that its sender gave up; it lands whenever [#landOne] draws it.
  void travel(Runnable landing) {
    travelling.add(landing);
  }

  /// Lets one travelling write land, by the seed.
  void landOne() {
    if (!travelling.isEmpty()) {
      travelling.remove(random.nextInt(travelling.size())).run();
    }
  }

  boolean anyTravelling() {
    return !travelling.isEmpty();
  }
}
