package io.icewal.table;

import io.icewal.merge.KeyColumns;
import io.icewal.merge.KeyVector;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Finds the keys that more than one row has, among any number of rows in bounded memory.
///
/// 1. Keys gather in memory. At the bound they are sorted and become a run on disk.
/// 2. When there are too many runs to be merged at once, they are merged into one.
/// 3. One merge of all runs and of what is in memory counts the rows of each key. More keys may be
///    added after that.
///
/// Nothing is on disk as long as the keys fit into the bound. Used by one thread; closing removes
/// what is on disk.
final class KeyCensus implements AutoCloseable {
  /// Bytes of keys in memory. Sorting takes about five times as much.
  static final long BYTES_MAX_DEFAULT = 16L << 20;

  /// Runs merged at once: one small buffer each.
  private static final int RUNS_MAX = 256;

  /// Duplicate keys that are named.
  private static final int EXAMPLES_MAX = 5;

  private final KeyColumns key;
  private final Path spillFolder;
  private final long bytesMax;
  private final List<KeyVector> pending = new ArrayList<>();
  private final List<KeyRun> runs = new ArrayList<>();
  private long pendingBytes;
  private @Nullable Path folder;
  private int written;

  KeyCensus(KeyColumns key, Path spillFolder, long bytesMax) {
    this.key = key;
    this.spillFolder = spillFolder;
    this.bytesMax = bytesMax;
  }

  /// Adds the keys of some rows, in any order.
  void add(KeyVector keys) {
    pending.add(keys);
    pendingBytes += keys.heapBytes();
    if (pendingBytes >= bytesMax) {
      try {
        spill();
      } catch (IOException e) {
        throw failed(e);
      }
    }
  }

  private void spill() throws IOException {
    try (KeyCursor keys = KeyRun.inMemory(pending)) {
      runs.add(KeyRun.write(nextFile(), keys));
    }
    pending.clear();
    pendingBytes = 0;
    if (runs.size() == RUNS_MAX) {
      mergeRuns();
    }
  }

  private void mergeRuns() throws IOException {
    KeyRun merged;
    try (KeyMerge all = new KeyMerge(cursors())) {
      merged = KeyRun.write(nextFile(), all);
    }
    for (KeyRun run : runs) {
      run.delete();
    }
    runs.clear();
    runs.add(merged);
  }

  private List<KeyCursor> cursors() throws IOException {
    List<KeyCursor> cursors = new ArrayList<>();
    try {
      for (KeyRun run : runs) {
        cursors.add(run.open());
      }
      return cursors;
    } catch (IOException e) {
      for (KeyCursor cursor : cursors) {
        cursor.close();
      }
      throw e;
    }
  }

  private Path nextFile() throws IOException {
    if (folder == null) {
      folder = Files.createTempDirectory(Files.createDirectories(spillFolder), "icewal-keys-");
    }
    return folder.resolve(Integer.toString(written++));
  }

  /// How many runs are on disk.
  int runs() {
    return runs.size();
  }

  /// What was found so far.
  KeyDuplicates duplicates() {
    try {
      List<KeyCursor> cursors = cursors();
      cursors.add(KeyRun.inMemory(pending));
      try (KeyMerge all = new KeyMerge(cursors)) {
        return duplicates(all);
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private KeyDuplicates duplicates(KeyCursor all) throws IOException {
    long keys = 0;
    long surplus = 0;
    List<byte[]> examples = new ArrayList<>();
    long[] counts = new long[EXAMPLES_MAX];
    while (all.next()) {
      if (all.count() > 1) {
        keys++;
        surplus += all.count() - 1;
        if (examples.size() < EXAMPLES_MAX) {
          counts[examples.size()] = all.count();
          examples.add(Arrays.copyOf(all.key(), all.length()));
        }
      }
    }
    return new KeyDuplicates(
        keys, surplus, vector(examples), Arrays.copyOf(counts, examples.size()));
  }

  private KeyVector vector(List<byte[]> keys) {
    if (key.isExact()) {
      return KeyVector.ofPrefixes(
          keys.stream().mapToLong(bytes -> ByteBuffer.wrap(bytes).getLong()).toArray());
    }
    int[] offsets = new int[keys.size() + 1];
    for (int i = 0; i < keys.size(); i++) {
      offsets[i + 1] = offsets[i] + keys.get(i).length;
    }
    ByteBuffer bytes = ByteBuffer.allocate(offsets[keys.size()]);
    keys.forEach(bytes::put);
    return KeyVector.ofBytes(bytes.array(), offsets);
  }

  private IcewalException failed(IOException e) {
    return new IcewalException(
        ErrorKind.UNAVAILABLE, "cannot keep keys in " + spillFolder + ": " + e, e);
  }

  @Override
  public void close() {
    if (folder == null) {
      return;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
