package io.icewal.flight;

import io.grpc.Context;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Position;
import io.icewal.table.Adoption;
import io.icewal.table.IcewalTables;
import io.icewal.table.TablePosition;
import io.icewal.wal.Pause;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.iceberg.catalog.TableIdentifier;

/// Waits until a flush block is materialized: by whom, this process does not know, so it looks at
/// the table now and then.
final class FlushWait {
  static final Duration TIMEOUT_DEFAULT = Duration.ofSeconds(60);

  /// Whoever wants to wait longer asks again.
  private static final Duration TIMEOUT_MAX = Duration.ofDays(1);

  private static final Duration PAUSE_MIN = Duration.ofMillis(20);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(1);

  private final IcewalTables tables;
  private final Duration timeout;
  private final long startNanos = System.nanoTime();

  FlushWait(IcewalTables tables, Duration timeout) {
    this.tables = tables;
    this.timeout = timeout.compareTo(TIMEOUT_MAX) < 0 ? timeout : TIMEOUT_MAX;
  }

  /// @param flushed completes with the flush block's position
  /// @return the table's position once it has reached that
  /// @throws IcewalException UNAVAILABLE when the time is over or the client has gone
  Position until(TableIdentifier table, CompletableFuture<Position> flushed) {
    Position block = await(table, flushed);
    Duration pause = PAUSE_MIN;
    while (true) {
      Position reached = position(table);
      if (reached.log().equals(block.log()) && reached.number() >= block.number()) {
        return reached;
      }
      if (leftNanos() <= 0 || Context.current().isCancelled()) {
        throw new IcewalException(
            ErrorKind.UNAVAILABLE,
            "table "
                + table
                + " is at "
                + reached
                + " after "
                + timeout.toMillis()
                + " ms, not yet at "
                + block
                + "; does a maintenance runner run?");
      }
      Pause.REAL.pause(pause);
      pause = pause.multipliedBy(2).compareTo(PAUSE_MAX) < 0 ? pause.multipliedBy(2) : PAUSE_MAX;
    }
  }

  private Position position(TableIdentifier table) {
    Optional<TablePosition> position = TablePosition.valid(tables.load(table));
    if (position.isEmpty()) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "table "
              + table
              + " was replaced while it was flushed; to begin anew: "
              + Adoption.command(table));
    }
    return position.get().position();
  }

  private Position await(TableIdentifier table, CompletableFuture<Position> flushed) {
    try {
      return flushed.get(Math.max(leftNanos(), 0), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IcewalException(
          ErrorKind.UNAVAILABLE, "log took no flush block of " + table + " in time", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IcewalException known
          ? known
          : new IcewalException(ErrorKind.INTERNAL, "flush of " + table + " failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IcewalException(ErrorKind.UNAVAILABLE, "server is shutting down", e);
    }
  }

  private long leftNanos() {
    return timeout.toNanos() - (System.nanoTime() - startNanos);
  }
}
