package io.icewal.wal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The sequences of one producer in one table that the log has: the highest, at most 64 unseen
/// ranges below it, and below those what is no longer known. Immutable.
///
/// 1. A sequence above the highest, or in an unseen range, is new. A batch that was rejected leaves
///    such a range, so it can be corrected and sent again.
/// 2. Below [#knownFrom], no answer is right: it is refused.
/// 3. Any other was seen: a repeat.
///
/// A 65th range raises `knownFrom` above the lowest one.
public final class Sequences {
  /// How many unseen ranges are kept.
  public static final int RANGES_MAX = 64;

  /// Nothing was seen.
  public static final Sequences NONE = new Sequences(-1, 0, new long[0]);

  /// What a sequence is to the log.
  public enum Verdict {
    NEW,
    SEEN,
    FORGOTTEN
  }

  private final long highest;
  private final long knownFrom;

  /// First and last of each unseen range, ascending, not touching.
  private final long[] unseen;

  private Sequences(long highest, long knownFrom, long[] unseen) {
    this.highest = highest;
    this.knownFrom = knownFrom;
    this.unseen = unseen;
  }

  /// @throws IllegalArgumentException if these cannot have come from [#with]
  static Sequences of(long highest, long knownFrom, List<Long> unseen) {
    long[] ranges = unseen.stream().mapToLong(Long::longValue).toArray();
    boolean ordered = knownFrom >= 0 && highest >= knownFrom - 1 && ranges.length % 2 == 0;
    long before = knownFrom - 1;
    for (int i = 0; i < ranges.length; i++) {
      ordered &= i % 2 == 0 ? ranges[i] > before : ranges[i] >= before;
      before = ranges[i] + (i % 2);
    }
    if (!ordered || ranges.length > 2 * RANGES_MAX || before > highest) {
      throw new IllegalArgumentException(
          "bad sequences: highest " + highest + ", known from " + knownFrom + ", " + unseen);
    }
    return new Sequences(highest, knownFrom, ranges);
  }

  public long highest() {
    return highest;
  }

  /// Sequences below this one are forgotten.
  public long knownFrom() {
    return knownFrom;
  }

  List<Long> unseen() {
    return Arrays.stream(unseen).boxed().toList();
  }

  public Verdict verdict(long sequence) {
    if (sequence < knownFrom) {
      return Verdict.FORGOTTEN;
    }
    return sequence > highest || rangeOf(sequence) >= 0 ? Verdict.NEW : Verdict.SEEN;
  }

  /// These and one more, which must be [Verdict#NEW].
  public Sequences with(long sequence) {
    if (verdict(sequence) != Verdict.NEW) {
      throw new IllegalArgumentException("sequence " + sequence + " is not new to " + this);
    }
    List<Long> ranges = new ArrayList<>(unseen());
    if (sequence > highest) {
      addRange(ranges, ranges.size(), highest + 1, sequence - 1);
    } else {
      int at = rangeOf(sequence);
      long first = ranges.remove(at);
      long last = ranges.remove(at);
      addRange(ranges, at, sequence + 1, last);
      addRange(ranges, at, first, sequence - 1);
    }
    long known = knownFrom;
    if (ranges.size() > 2 * RANGES_MAX) {
      ranges.remove(0);
      known = ranges.remove(0) + 1;
    }
    return new Sequences(
        Math.max(highest, sequence), known, ranges.stream().mapToLong(Long::longValue).toArray());
  }

  private static void addRange(List<Long> ranges, int at, long first, long last) {
    if (first <= last) {
      ranges.add(at, last);
      ranges.add(at, first);
    }
  }

  /// Where the unseen range that holds a sequence begins in [#unseen], or -1.
  private int rangeOf(long sequence) {
    for (int i = 0; i < unseen.length; i += 2) {
      if (unseen[i] <= sequence && sequence <= unseen[i + 1]) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Sequences that
        && highest == that.highest
        && knownFrom == that.knownFrom
        && Arrays.equals(unseen, that.unseen);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(highest * 31 + knownFrom) * 31 + Arrays.hashCode(unseen);
  }

  @Override
  public String toString() {
    return "Sequences[highest="
        + highest
        + ", knownFrom="
        + knownFrom
        + ", unseen="
        + unseen()
        + "]";
  }
}
