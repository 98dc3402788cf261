package io.icewal.ingest;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The name that a sender probably meant.
final class NearestName {
  /// Names longer than this are not compared: the work grows with the square.
  private static final int CHARS_MAX = 200;

  /// Comparisons of characters for one name: a sender may have sent thousands of long ones.
  private static final long WORK_MAX = 1 << 22;

  private NearestName() {}

  /// The nearest of the names by edits, case apart; null if none is at least half alike.
  static @Nullable String of(String name, Collection<String> names) {
    String nearest = null;
    int best = Math.max(1, name.length() / 2) + 1;
    long work = 0;
    for (String candidate : names) {
      work += (long) name.length() * candidate.length();
      if (work > WORK_MAX) {
        break;
      }
      int distance = distance(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
      if (distance < best) {
        best = distance;
        nearest = candidate;
      }
    }
    return nearest;
  }

  private static int distance(String a, String b) {
    if (a.length() > CHARS_MAX || b.length() > CHARS_MAX) {
      return Integer.MAX_VALUE;
    }
    int[] above = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(change, Math.min(above[j], row[j - 1]) + 1);
      }
      above = row;
    }
    return above[b.length()];
  }
}
