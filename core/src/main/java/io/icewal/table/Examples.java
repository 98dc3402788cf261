package io.icewal.table;

import io.icewal.model.Verdict;
import java.util.ArrayList;
import java.util.List;

/// Things of one kind: how many there are, and the first of them.
final class Examples {
  private static final int NAMED_MAX = 3;

  private final List<String> named = new ArrayList<>();
  private long count;

  void add(String thing) {
    count++;
    if (named.size() < NAMED_MAX) {
      named.add(thing);
    }
  }

  /// Adds a verdict, if there is anything.
  ///
  /// @param message goes on after the number, such as "files are damaged"
  void addTo(List<Verdict> verdicts, String rule, String column, String message) {
    if (count > 0) {
      String suchAs = count > named.size() ? ", such as: " : ": ";
      verdicts.add(
          new Verdict(
              -1, column, rule, null, count + " " + message + suchAs + String.join("; ", named)));
    }
  }
}
