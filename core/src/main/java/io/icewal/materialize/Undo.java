package io.icewal.materialize;

import org.jspecify.annotations.Nullable;

/// Undoes what was begun in a `try`, however that ends, unless it was kept: an error, or a checked
/// exception that Scala code throws undeclared, leaves nothing behind either. What fails while it
/// is undone is suppressed by what ended the `try`.
public final class Undo implements AutoCloseable {
  private @Nullable Runnable undo;

  public Undo(Runnable undo) {
    this.undo = undo;
  }

  public void keep() {
    undo = null;
  }

  @Override
  public void close() {
    if (undo != null) {
      undo.run();
    }
  }
}
