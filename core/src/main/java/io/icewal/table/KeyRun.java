package io.icewal.table;

import io.icewal.merge.KeyVector;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Sorted keys on disk while a census is taken: for each key its length, bytes and number of rows.
final class KeyRun {
  private static final int BUFFER_BYTES = 32 << 10;

  private final Path file;

  private KeyRun(Path file) {
    this.file = file;
  }

  /// Writes all keys of a cursor, which is at its beginning.
  static KeyRun write(Path file, KeyCursor keys) throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES))) {
      while (keys.next()) {
        out.writeInt(keys.length());
        out.write(keys.key(), 0, keys.length());
        out.writeLong(keys.count());
      }
    }
    return new KeyRun(file);
  }

  KeyCursor open() throws IOException {
    return new OnDisk(
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)));
  }

  void delete() throws IOException {
    Files.deleteIfExists(file);
  }

  /// The keys of some vectors, in order.
  static KeyCursor inMemory(List<KeyVector> keys) {
    KeyVector all = KeyVector.concat(keys);
    return new InMemory(all, all.sort());
  }

  private static final class OnDisk implements KeyCursor {
    private final DataInputStream in;
    private byte[] key = new byte[Long.BYTES];
    private int length;
    private long count;

    OnDisk(DataInputStream in) {
      this.in = in;
    }

    @Override
    public boolean next() throws IOException {
      try {
        length = in.readInt();
      } catch (EOFException e) {
        return false; // Runs end between keys: each was written and closed as a whole.
      }
      if (key.length < length) {
        key = new byte[Math.max(length, 2 * key.length)];
      }
      in.readFully(key, 0, length);
      count = in.readLong();
      return true;
    }

    @Override
    public byte[] key() {
      return key;
    }

    @Override
    public int length() {
      return length;
    }

    @Override
    public long count() {
      return count;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  private static final class InMemory implements KeyCursor {
    private final KeyVector keys;
    private final int[] order;
    private int at;
    private byte[] key = new byte[0];
    private long count;

    InMemory(KeyVector keys, int[] order) {
      this.keys = keys;
      this.order = order;
    }

    @Override
    public boolean next() {
      if (at == order.length) {
        return false;
      }
      int first = order[at];
      int end = at + 1;
      while (end < order.length && keys.sameKey(first, keys, order[end])) {
        end++;
      }
      key = keys.bytes(first);
      count = end - at;
      at = end;
      return true;
    }

    @Override
    public byte[] key() {
      return key;
    }

    @Override
    public int length() {
      return key.length;
    }

    @Override
    public long count() {
      return count;
    }

    @Override
    public void close() {}
  }
}
