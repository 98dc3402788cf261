package io.icewal.wal;

import io.icewal.model.LogName;
import io.icewal.wal.Defences.Rule;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/// The log with one rule of its protocol left out, for tests which show that the rule matters.
/// Rules have the names of the checked model's broken variants.
public final class WeakenedWal {
  private static final Map<String, Rule> RULES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("b01", Rule.LOOK_BEFORE_ACK),
              Map.entry("b02", Rule.SUMMARY_DECIDES_VOID),
              Map.entry("b03", Rule.LOOK_AFTER_LOST_SLOT),
              Map.entry("b04", Rule.LOOK_AFTER_FOOTERS),
              Map.entry("b05", Rule.LOOK_BEFORE_REPEAT),
              Map.entry("b06", Rule.LOOK_BEFORE_PUT),
              Map.entry("b07", Rule.LOOK_AFTER_READING),
              Map.entry("b09", Rule.STAY_WHILE_UNKNOWN),
              Map.entry("b10", Rule.BOUNDARY_BEFORE_DELETE),
              Map.entry("b11", Rule.SUMMARY_BEFORE_BOUNDARY),
              Map.entry("l01", Rule.SEQUENCES_NEVER_VOUCH_TO_WRITERS),
              Map.entry("l02", Rule.SEQUENCES_NEVER_VOUCH_TO_READERS),
              Map.entry("l04", Rule.ABSENCE_IS_LOOKED_AT),
              Map.entry("l05", Rule.NEW_ID_AFTER_RESTART),
              Map.entry("l06", Rule.FORGOTTEN_IS_NOT_VOID)));

  private WeakenedWal() {}

  /// The names of all rules that can be left out. (b07 and l02 stand for b08 and l03 too: readers
  /// and materializers read alike. b12 is broken by calling in another order.)
  public static Iterable<String> rules() {
    return RULES.keySet();
  }

  /// @param writerId for l05 the same in each life of a writer; else any
  public static WalWriter writer(
      LogRoot root,
      LogName log,
      RandomGenerator random,
      InstantSource clock,
      WriterLimits limits,
      Pause pause,
      String rule,
      UUID writerId) {
    return new WalWriter(
        root, log, random, clock, null, limits, Runnable::run, pause, without(rule), writerId);
  }

  public static LogReader reader(
      LogRoot root, LogName log, Executor executor, ReaderLimits limits, String rule) {
    return new LogReader(root, log, executor, limits, without(rule));
  }

  public static WalTrimmer trimmer(
      LogRoot root, LogName log, RandomGenerator random, TrimLimits limits, String rule) {
    return new WalTrimmer(root, log, random, limits, Runnable::run, without(rule));
  }

  static Defences without(String rule) {
    Rule left = RULES.get(rule);
    if (left == null) {
      throw new IllegalArgumentException("no rule " + rule + " among " + RULES.keySet());
    }
    return Defences.without(left);
  }
}
