package io.icewal.ingest;

import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.jspecify.annotations.Nullable;

/// The tables that rows come in for, as the catalog had them at most a minute ago.
///
/// While the catalog does not answer, known tables stay as they were last seen: a batch validated
/// against an older schema is still right by field id. Tables never seen are UNAVAILABLE then. A
/// table that cannot take rows is refused with its reason.
///
/// Thread-safe. One thread loads a table, others go on with what is known until it has expired.
public final class TableSchemas {
  /// A load begins before the hard age of 60 s, so that normally nobody waits for it.
  private static final Duration REFRESH_AGE = Duration.ofSeconds(45);

  private static final Duration AGE_MAX = Duration.ofSeconds(60);

  /// A load that takes longer counts as failed for those who wait for it: known tables go on.
  private static final Duration LOAD_PATIENCE = Duration.ofSeconds(2);

  /// After a failed load the catalog is left alone for this long.
  private static final Duration RETRY_AGE = Duration.ofSeconds(5);

  /// Tables remembered; the least recently used beyond it are forgotten.
  private static final int TABLES_MAX = 20_000;

  private final TableLoader loader;
  private final InstantSource clock;
  private final Map<TableIdentifier, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  public TableSchemas(TableLoader loader, InstantSource clock) {
    this.loader = loader;
    this.clock = clock;
  }

  /// The table, at most a minute old unless the catalog is down.
  ///
  /// @throws IcewalException INVALID if there is no such table or it cannot take rows, UNAVAILABLE
  ///   if it is not known and the catalog does not answer
  public IngestTable current(TableIdentifier name) {
    IngestTable table = entry(name).current();
    String refusal = table.refusal();
    if (refusal != null) {
      throw new IcewalException(
          ErrorKind.INVALID, "table " + name + " does not take rows: " + refusal);
    }
    return table;
  }

  /// Forgets what is known of a table, so that the next look at it loads it: for changes made
  /// through this very process.
  public void forget(TableIdentifier name) {
    synchronized (entries) {
      entries.remove(name);
    }
  }

  private Entry entry(TableIdentifier name) {
    synchronized (entries) {
      Entry entry = entries.computeIfAbsent(name, Entry::new);
      if (entries.size() > TABLES_MAX) {
        entries.remove(entries.keySet().iterator().next());
      }
      return entry;
    }
  }

  /// What is known of one table.
  private final class Entry {
    private final TableIdentifier name;
    private final ReentrantLock loading = new ReentrantLock();
    private volatile @Nullable Seen seen;

    Entry(TableIdentifier name) {
      this.name = name;
    }

    IngestTable current() {
      Seen known = seen;
      Instant now = clock.instant();
      if (known != null && now.isBefore(known.refreshAt())) {
        return known.table();
      }
      if (known == null) {
        loading.lock();
        return loadLocked();
      }
      if (tryToLoad(now.isBefore(known.expiresAt()) ? Duration.ZERO : LOAD_PATIENCE)) {
        return loadLocked();
      }
      return now.isBefore(known.expiresAt()) ? known.table() : keep(known, now);
    }

    private boolean tryToLoad(Duration wait) {
      try {
        return loading.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    /// The catalog does not answer. The table stays as it is known, for as long as that lasts.
    private IngestTable keep(Seen known, Instant now) {
      seen = new Seen(known.table(), now.plus(RETRY_AGE), Instant.MAX);
      return known.table();
    }

    /// Called with [#loading] held; gives it back.
    private IngestTable loadLocked() {
      try {
        Seen known = seen;
        Instant now = clock.instant();
        if (known != null && now.isBefore(known.refreshAt())) {
          return known.table();
        }
        return load(known, now);
      } finally {
        loading.unlock();
      }
    }

    private IngestTable load(@Nullable Seen known, Instant now) {
      try {
        IngestTable table = loader.load(name);
        seen = new Seen(table, now.plus(REFRESH_AGE), now.plus(AGE_MAX));
        return table;
      } catch (NoSuchTableException | NoSuchNamespaceException e) {
        seen = null;
        throw new IcewalException(ErrorKind.INVALID, "no such table: " + name, e);
      } catch (IcewalException e) {
        if (e.kind() == ErrorKind.INVALID) {
          seen = null;
          throw e;
        }
        return withoutCatalog(known, now, e);
      } catch (RuntimeException e) {
        return withoutCatalog(known, now, e);
      }
    }

    private IngestTable withoutCatalog(@Nullable Seen known, Instant now, RuntimeException cause) {
      if (known == null) {
        throw new IcewalException(
            ErrorKind.UNAVAILABLE,
            "cannot load table " + name + " from the catalog: " + cause.getMessage(),
            cause);
      }
      return keep(known, now);
    }
  }

  private record Seen(IngestTable table, Instant refreshAt, Instant expiresAt) {}
}
