package io.icewal.table;

import java.lang.reflect.RecordComponent;

/// Commits with a guard switched off, for tests that show what the guard is for.
public final class TestGuards {
  private TestGuards() {}

  static Guards without(String guard) {
    RecordComponent[] components = Guards.class.getRecordComponents();
    Object[] values = new Object[components.length];
    boolean known = false;
    for (int i = 0; i < components.length; i++) {
      boolean off = components[i].getName().equals(guard);
      known |= off;
      values[i] = !off;
    }
    if (!known) {
      throw new IllegalArgumentException("no guard " + guard);
    }
    try {
      return (Guards) Guards.class.getDeclaredConstructors()[0].newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A commit without the named guard.
  public static TableCommit commitWithout(
      String guard, org.apache.iceberg.Table table, TablePosition expected) {
    return new TableCommit(table, expected, without(guard));
  }
}
