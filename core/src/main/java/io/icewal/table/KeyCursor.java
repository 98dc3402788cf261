package io.icewal.table;

import java.io.IOException;
import java.util.Arrays;

/// Distinct encoded keys in ascending order, each with the number of rows that have it. Two
/// implementations: keys in memory and a run on disk ([KeyRun]).
interface KeyCursor extends AutoCloseable {
  /// Moves to the next key.
  ///
  /// @return false at the end
  boolean next() throws IOException;

  /// The key, in the first [#length] bytes; valid until the next move.
  byte[] key();

  int length();

  /// How many rows have it.
  long count();

  @Override
  void close() throws IOException;

  /// The order of the current keys.
  static int compare(KeyCursor one, KeyCursor other) {
    return Arrays.compareUnsigned(one.key(), 0, one.length(), other.key(), 0, other.length());
  }
}
