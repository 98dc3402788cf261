package io.icewal.table;

import java.util.function.Consumer;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.ValidationException;
import org.jspecify.annotations.Nullable;

/// Lets a commit pass only over metadata whose position is the expected one. Without it two
/// materializers of one table could both commit, and each row would be there twice.
final class PositionCheck implements Consumer<@Nullable TableMetadata> {
  /// The position was not the expected one; nothing was sent.
  static final class PositionMoved extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PositionMoved(String message) {
      super(message);
    }
  }

  private final TablePosition expected;
  private final @Nullable Long exactBase;

  /// @param exactBase the only snapshot on which the change is right; null if Iceberg's validations
  ///   tell. They do not see a row that was deleted meanwhile in a file that the change removes.
  PositionCheck(TablePosition expected, @Nullable Long exactBase) {
    this.expected = expected;
    this.exactBase = exactBase;
  }

  @Override
  public void accept(@Nullable TableMetadata base) {
    if (base == null) {
      throw new PositionMoved("the table is gone");
    }
    String replaced = TablePosition.whyReplaced(base);
    if (replaced != null) {
      throw new PositionMoved("the table was replaced: " + replaced);
    }
    TablePosition seen = TablePosition.read(base).orElseThrow();
    if (!seen.equals(expected)) {
      throw new PositionMoved("position is " + seen + ", expected " + expected);
    }
    if (exactBase != null && base.currentSnapshot().snapshotId() != exactBase) {
      throw new ValidationException(
          "the table is at snapshot %s, files were removed from %s",
          base.currentSnapshot().snapshotId(), exactBase);
    }
  }
}
