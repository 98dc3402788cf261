package io.icewal.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/// What goes wrong between an actor and the store or the catalog, by the seed: requests that fail
/// before they are applied, requests that are applied while their answer is lost, and requests that
/// travel on and land long after their sender gave up.
final class Faults {
  private final RandomGenerator random;
  private final int perMille;
  private final int travelPercent;
  private final boolean lateOntoFreeNames;
  private final List<Travelling> travelling = new ArrayList<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private boolean off = true;

  /// What happens to one write.
  enum Fate {
    ARRIVES,
    LOST_ANSWER,
    FAILS,
    TRAVELS
  }

  /// A write on its way.
  ///
  /// @param name what it writes
  /// @param refilled whether it would land on a name that was taken in between and is free again
  private record Travelling(String name, Runnable landing, BooleanSupplier refilled) {}

  Faults(RandomGenerator random, SimSettings.Hazards hazards) {
    this.random = random;
    this.perMille = hazards.faultPerMille();
    this.travelPercent = hazards.travelPercent();
    this.lateOntoFreeNames = hazards.lateOntoFreeNames();
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
        && perMille > 0
        && random.nextInt(1000) < perMille / 16 + 1
        && count(what + " fails");
  }

  Fate fateOfWrite(String what) {
    return fateOfWrite(what, "");
  }

  /// As [#fateOfWrite(String)]; where a write to the same name got stuck, the next one's answer is
  /// often lost: networks are bad for a while.
  ///
  /// @param name what is written
  Fate fateOfWrite(String what, String name) {
    if (off) {
      return Fate.ARRIVES;
    }
    boolean stuck = travelling.stream().anyMatch(write -> write.name.equals(name));
    if (stuck && random.nextInt(4) == 0) {
      return counted(what, Fate.LOST_ANSWER);
    }
    if (random.nextInt(1000) >= perMille) {
      return Fate.ARRIVES;
    }
    if (random.nextInt(100) < travelPercent) {
      return counted(what, Fate.TRAVELS);
    }
    return counted(what, random.nextBoolean() ? Fate.LOST_ANSWER : Fate.FAILS);
  }

  private Fate counted(String what, Fate fate) {
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
    travel("-", landing, () -> false);
  }

  /// As [#travel(Runnable)].
  ///
  /// @param name what it writes
  /// @param refilled whether it would now land on a name that was taken before and is free again
  void travel(String name, Runnable landing, BooleanSupplier refilled) {
    travelling.add(new Travelling(name, landing, refilled));
  }

  /// Lets one travelling write land, by the seed.
  void landOne() {
    List<Travelling> ghosts =
        travelling.stream().filter(write -> write.refilled.getAsBoolean()).toList();
    if (!ghosts.isEmpty() && random.nextBoolean()) {
      land(ghosts.get(random.nextInt(ghosts.size())));
    } else if (!travelling.isEmpty() && (!lateOntoFreeNames || random.nextInt(8) == 0)) {
      land(travelling.get(random.nextInt(travelling.size())));
    }
  }

  private void land(Travelling write) {
    travelling.remove(write);
    write.landing.run();
  }

  /// Lets all of them land, in the order in which they were sent.
  void landAll() {
    while (!travelling.isEmpty()) {
      land(travelling.get(0));
    }
  }
}
