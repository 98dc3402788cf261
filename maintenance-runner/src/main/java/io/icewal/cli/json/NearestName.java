package io.icewal.cli.json;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The name that somebody probably meant.
final class NearestName {
  private NearestName() {}

  /// @return null if no name is near: more than a third of its characters would have to change
  static @Nullable String of(String name, Collection<String> names) {
    String nearest = null;
    int best = Math.max(1, name.length() / 3) + 1;
    for (String candidate : names) {
      int distance = distance(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
      if (distance < best) {
        best = distance;
        nearest = candidate;
      }
    }
    return nearest;
  }

  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int above = row[j];
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(change, Math.min(above, row[j - 1]) + 1);
        diagonal = above;
      }
    }
    return row[b.length()];
  }
}
