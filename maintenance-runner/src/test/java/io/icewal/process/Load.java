package io.icewal.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.client.IcewalClient;
import io.icewal.client.PutLimits;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.protocol.TableDefinition;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/// Producers that all write at once, into a keyed and an append-only table.
final class Load implements AutoCloseable {
  static final TableIdentifier KEYED = TableIdentifier.of("load", "keyed");
  static final TableIdentifier APPENDED = TableIdentifier.of("load", "appended");

  /// Goes on trying as long as a restart may take.
  static final Duration PATIENT = Duration.ofMinutes(4);

  /// Passes the first failure on.
  static final Duration IMPATIENT = Duration.ZERO;

  private static final List<NestedField> COLUMNS =
      List.of(
          NestedField.required(1, "id", Types.LongType.get()),
          NestedField.optional(2, "v", Types.StringType.get()));

  private static final long WAIT_MILLIS_MAX = 240_000;

  private final BufferAllocator allocator = new RootAllocator();
  private final IcewalClient client;
  private final List<Producer> keyed = new ArrayList<>();
  private final List<Producer> appending = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final int batches;
  private long acknowledged;

  /// @param producers of each of the two tables
  /// @param batchesEach what each of them sends
  Load(URI server, int producers, int batchesEach, Duration patience) {
    this.client = IcewalClient.connect(server, allocator);
    this.batches = 2 * producers * batchesEach;
    PutLimits limits = new PutLimits(4, 1 << 20, patience);
    for (int i = 0; i < producers; i++) {
      keyed.add(new Producer(client, allocator, KEYED, true, i, batchesEach, limits, this::count));
      appending.add(
          new Producer(client, allocator, APPENDED, false, i, batchesEach, limits, this::count));
    }
  }

  void createTables() {
    client.create(TableDefinition.of(KEYED, new Schema(COLUMNS, Set.of(1))));
    client.create(TableDefinition.of(APPENDED, new Schema(COLUMNS)));
  }

  /// Waits until the client has met the server: for a while after a failure gRPC does not try
  /// again, and tells whoever is impatient so.
  synchronized void awaitServer() throws InterruptedException {
    long end = System.nanoTime() + WAIT_MILLIS_MAX * 1_000_000;
    while (true) {
      try {
        client.tables();
        return;
      } catch (IcewalException e) {
        if (e.kind() != ErrorKind.UNAVAILABLE || System.nanoTime() > end) {
          throw e;
        }
        wait(100); // Or until something is acknowledged, which is as good a sign.
      }
    }
  }

  /// All producers begin, or go on after the last batch that was acknowledged.
  void start() {
    threads.clear();
    for (Producer producer : producers()) {
      Thread thread = new Thread(producer, "producer-" + threads.size());
      threads.add(thread);
      thread.start();
    }
  }

  List<Producer> producers() {
    List<Producer> all = new ArrayList<>(keyed);
    all.addAll(appending);
    return all;
  }

  private synchronized void count() {
    acknowledged++;
    notifyAll();
  }

  synchronized boolean isAcknowledged() {
    return acknowledged == batches;
  }

  /// Waits until a share of all batches is acknowledged.
  synchronized void await(double share) throws InterruptedException {
    long end = System.nanoTime() + WAIT_MILLIS_MAX * 1_000_000;
    while (acknowledged < share * batches) {
      long left = (end - System.nanoTime()) / 1_000_000;
      assertThat(left).as("%d of %d batches acknowledged", acknowledged, batches).isPositive();
      wait(left);
    }
  }

  /// Waits until every producer has ended.
  void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(WAIT_MILLIS_MAX);
      assertThat(thread.isAlive()).as("%s goes on for ever", thread).isFalse();
    }
  }

  /// What a table must hold: `id,v`, sorted.
  List<String> expected(TableIdentifier table) {
    Map<Long, String> rows = new TreeMap<>();
    (table.equals(KEYED) ? keyed : appending).forEach(producer -> producer.expected(rows));
    return rows.values().stream().sorted().toList();
  }

  /// Fails for whatever is still under way, whose memory it holds.
  @Override
  public void close() {
    client.close();
    allocator.close();
  }
}
