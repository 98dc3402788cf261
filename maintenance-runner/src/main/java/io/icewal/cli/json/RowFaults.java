package io.icewal.cli.json;

import io.icewal.model.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Collects the verdicts on the rows of one batch while they are read. Not thread-safe.
final class RowFaults {
  static final int VALUE_CHARS_MAX = 100;

  private final List<Verdict> verdicts = new ArrayList<>();
  private long row;

  /// Verdicts added from now on are on this row.
  void at(long newRow) {
    row = newRow;
  }

  void add(String column, String rule, @Nullable String value, String message) {
    String cut = value;
    if (value != null && value.length() > VALUE_CHARS_MAX) {
      cut = value.substring(0, VALUE_CHARS_MAX);
    }
    verdicts.add(new Verdict(row, column, rule, cut, message));
  }

  int count() {
    return verdicts.size();
  }

  List<Verdict> verdicts() {
    return List.copyOf(verdicts);
  }
}
