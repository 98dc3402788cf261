package io.icewal.parquet;

import io.icewal.merge.KeyVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Merges sorted keys that are searched for with those of a file, and collects the matches.
final class KeyMatcher {
  /// A page with this many keys for each one that is searched for is searched, not walked through.
  private static final int SEARCH_RATIO = 8;

  private final KeyVector wanted;
  private int[] keyIndexes = new int[64];
  private long[] rows = new long[64];
  private int count;

  /// A page that can hold some of the keys `from` to `to`.
  record Candidate(int page, int from, int to) {}

  KeyMatcher(KeyVector wanted) {
    this.wanted = wanted;
  }

  /// The pages of a row group that can hold one of the keys, ascending.
  List<Candidate> candidates(KeyFileIndex.Group group, int from, int to) {
    List<Candidate> candidates = new ArrayList<>();
    int next = from;
    for (int page = 0; page < group.pages() && next < to; page++) {
      next = firstAtLeast(wanted, next, to, group.lower(), page);
      int end = firstAbove(wanted, next, to, group.upper(), page);
      if (next < end) {
        candidates.add(new Candidate(page, next, end));
      }
    }
    return candidates;
  }

  private static int firstAtLeast(KeyVector keys, int from, int to, KeyVector bound, int at) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (keys.compare(middle, bound, at) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static int firstAbove(KeyVector keys, int from, int to, KeyVector bound, int at) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (keys.compare(middle, bound, at) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Matches the sorted keys of a page.
  void match(KeyVector page, long firstRow, Candidate candidate) {
    boolean search = (long) (candidate.to - candidate.from) * SEARCH_RATIO < page.size();
    if (page.isExact()) {
      if (search) {
        searchExact(page, firstRow, candidate);
      } else {
        matchExact(page, firstRow, candidate);
      }
      return;
    }
    int at = 0;
    for (int i = candidate.from; i < candidate.to && at < page.size(); i++) {
      if (search) {
        at = firstAtLeast(page, at, page.size(), wanted, i);
      } else {
        while (at < page.size() && page.compare(at, wanted, i) < 0) {
          at++;
        }
      }
      for (int j = at; j < page.size() && page.sameKey(j, wanted, i); j++) {
        add(i, firstRow + j);
      }
    }
  }

  /// As above for keys that are numbers: the inner loop over a table's keys is this one. Which side
  /// moves on is computed, not branched on: in random keys a branch would be guessed wrong each
  /// time.
  private void matchExact(KeyVector page, long firstRow, Candidate candidate) {
    int size = page.size();
    int i = candidate.from;
    int at = 0;
    while (i < candidate.to && at < size) {
      long key = wanted.prefix(i) ^ Long.MIN_VALUE;
      long found = page.prefix(at) ^ Long.MIN_VALUE;
      if (key == found) {
        add(i, firstRow + at);
      }
      i += key < found ? 1 : 0;
      at += found <= key ? 1 : 0;
    }
  }

  /// As above for few keys: from one to the next in steps that double, then by halves.
  private void searchExact(KeyVector page, long firstRow, Candidate candidate) {
    int size = page.size();
    int at = 0;
    for (int i = candidate.from; i < candidate.to && at < size; i++) {
      long key = wanted.prefix(i) ^ Long.MIN_VALUE;
      int high = at;
      for (int step = 1; high < size && (page.prefix(high) ^ Long.MIN_VALUE) < key; step *= 2) {
        at = high + 1;
        high += step;
      }
      high = Math.min(high, size);
      while (at < high) {
        int middle = (at + high) >>> 1;
        boolean below = (page.prefix(middle) ^ Long.MIN_VALUE) < key;
        at = below ? middle + 1 : at;
        high = below ? high : middle;
      }
      for (int j = at; j < size && (page.prefix(j) ^ Long.MIN_VALUE) == key; j++) {
        add(i, firstRow + j);
      }
    }
  }

  /// Matches keys in no order, given the permutation that sorts them, with the wanted keys `from`
  /// to `to`.
  void match(KeyVector keys, int[] sorted, long firstRow, int from, int to) {
    int i = from;
    int at = 0;
    while (i < to && at < sorted.length) {
      int order = wanted.compare(i, keys, sorted[at]);
      if (order < 0) {
        i++;
      } else if (order > 0) {
        at++;
      } else {
        add(i, firstRow + sorted[at++]);
      }
    }
  }

  private void add(int keyIndex, long row) {
    if (count == rows.length) {
      keyIndexes = Arrays.copyOf(keyIndexes, 2 * count);
      rows = Arrays.copyOf(rows, 2 * count);
    }
    keyIndexes[count] = keyIndex;
    rows[count++] = row;
  }

  /// All matches by key, then row. Rows of one key were found in ascending order.
  FileKeys.Matches matches() {
    boolean sorted = true;
    for (int i = 1; i < count && sorted; i++) {
      sorted = keyIndexes[i - 1] <= keyIndexes[i];
    }
    if (sorted) {
      return new FileKeys.Matches(
          count, Arrays.copyOf(keyIndexes, count), Arrays.copyOf(rows, count));
    }
    long[] order = new long[count];
    for (int i = 0; i < count; i++) {
      order[i] = (long) keyIndexes[i] << Integer.SIZE | i;
    }
    Arrays.sort(order);
    int[] sortedKeys = new int[count];
    long[] sortedRows = new long[count];
    for (int i = 0; i < count; i++) {
      sortedKeys[i] = (int) (order[i] >>> Integer.SIZE);
      sortedRows[i] = rows[(int) order[i]];
    }
    return new FileKeys.Matches(count, sortedKeys, sortedRows);
  }
}
