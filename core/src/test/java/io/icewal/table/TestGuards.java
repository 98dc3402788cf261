package io.icewal.table;

import java.lang.reflect.RecordComponent;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Commits with a guard switched off, for tests that show what the guard is for.
public final class TestGuards {
  private TestGuards() {}

  static Guards without(String... guards) {
    RecordComponent[] components = Guards.class.getRecordComponents();
    Object[] values = new Object[components.length];
    Set<String> unknown = new HashSet<>(List.of(guards));
    for (int i = 0; i < components.length; i++) {
      values[i] = !unknown.remove(components[i].getName());
    }
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException("no guards " + unknown);
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
