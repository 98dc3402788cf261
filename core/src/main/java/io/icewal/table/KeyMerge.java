package io.icewal.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/// Several cursors as one. Owns them.
final class KeyMerge implements KeyCursor {
  private final List<KeyCursor> all = new ArrayList<>();
  private final PriorityQueue<KeyCursor> queue = new PriorityQueue<>(KeyCursor::compare);
  private byte[] key = new byte[Long.BYTES];
  private int length;
  private long count;

  KeyMerge(List<KeyCursor> cursors) throws IOException {
    all.addAll(cursors);
    try {
      for (KeyCursor cursor : cursors) {
        offer(cursor);
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private void offer(KeyCursor cursor) throws IOException {
    if (cursor.next()) {
      queue.add(cursor);
    }
  }

  @Override
  public boolean next() throws IOException {
    KeyCursor first = queue.poll();
    if (first == null) {
      return false;
    }
    length = first.length();
    if (key.length < length) {
      key = new byte[Math.max(length, 2 * key.length)];
    }
    System.arraycopy(first.key(), 0, key, 0, length);
    count = first.count();
    offer(first);
    while (!queue.isEmpty() && KeyCursor.compare(queue.element(), this) == 0) {
      KeyCursor same = queue.remove();
      count += same.count();
      offer(same);
    }
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
    for (KeyCursor cursor : all) {
      cursor.close();
    }
  }
}
