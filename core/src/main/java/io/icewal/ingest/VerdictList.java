package io.icewal.ingest;

import io.icewal.model.Rule;
import io.icewal.model.Verdict;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Collects the verdicts of one batch. Columns are looked at one after another, so each may keep up
/// to the limit; the answer then names the lowest rows of all. Not thread-safe.
final class VerdictList {
  private static final int VALUE_CHARS_MAX = 100;

  private final int max;
  private final Map<String, Integer> keptByColumn = new HashMap<>();
  private final List<Verdict> kept = new ArrayList<>();
  private final BitSet badRows = new BitSet();
  private long found;

  VerdictList(int max) {
    this.max = max;
  }

  void add(int row, String column, Rule rule, @Nullable String value, String message) {
    count(row);
    if (keptByColumn.merge(column, 1, Integer::sum) <= max) {
      kept.add(new Verdict(row, column, rule.text(), cut(value), message));
    }
  }

  /// Counts a verdict that is not kept.
  void count(int row) {
    found++;
    badRows.set(row);
  }

  boolean isFull(String column) {
    return keptByColumn.getOrDefault(column, 0) >= max;
  }

  boolean isEmpty() {
    return found == 0;
  }

  BitSet badRows() {
    return badRows;
  }

  /// The verdicts of the lowest rows, up to the limit.
  List<Verdict> lowest() {
    kept.sort(Comparator.comparingLong(Verdict::row));
    return List.copyOf(kept.subList(0, Math.min(max, kept.size())));
  }

  /// How many were found beyond [#lowest].
  long more() {
    return found - Math.min(max, kept.size());
  }

  private static @Nullable String cut(@Nullable String value) {
    if (value == null || value.length() <= VALUE_CHARS_MAX) {
      return value;
    }
    int end = VALUE_CHARS_MAX;
    if (Character.isHighSurrogate(value.charAt(end - 1))) {
      end--;
    }
    return value.substring(0, end);
  }
}
