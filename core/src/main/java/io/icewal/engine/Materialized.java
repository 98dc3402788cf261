package io.icewal.engine;

import io.icewal.materialize.MaterializeResult;
import io.icewal.model.Position;
import org.jspecify.annotations.Nullable;

/// What a materialization did.
///
/// @param rows rows of the log that went into the table, repeats of a key counted
/// @param commits how many snapshots it made
/// @param position the table's position after it; null if that is not known yet
public record Materialized(long rows, int commits, @Nullable Position position) {
  static final Materialized NOTHING = new Materialized(0, 0, null);

  Materialized plus(MaterializeResult step) {
    boolean committed = step.status() == MaterializeResult.Status.COMMITTED;
    return new Materialized(
        rows + step.rows(),
        commits + (committed ? 1 : 0),
        step.position() == null ? position : step.position());
  }
}
