package io.icewal.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.icewal.JavaProcess;
import io.icewal.cli.TestServer;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Real processes, killed and ended under load by several producers with ids and sequences: every
/// acknowledged row is there exactly once, in a fresh read and, once flushed, in plain Iceberg.
class ProcessTest {
  /// The server gives up draining after 40 s, and calls after some more.
  private static final Duration DRAIN_MAX = Duration.ofSeconds(60);

  /// Files that appear or get their final name in one cycle, more or less.
  private static final int CYCLE_STEPS = 12;

  private static final List<TableIdentifier> TABLES = List.of(Load.KEYED, Load.APPENDED);

  @TempDir private Path folder;

  @Test
  void aServerThatIsKilledUnderLoadLosesAndDoublesNothing() throws Exception {
    killServers(2, 30);
  }

  @Test
  @Tag("long")
  void aServerThatIsKilledManyTimesLosesAndDoublesNothing() throws Exception {
    killServers(30, 1_000);
  }

  private void killServers(int kills, int batches) throws Exception {
    try (Deployment deployment = new Deployment(folder);
        Load load = new Load(deployment.uri(), 3, batches, Load.PATIENT)) {
      JavaProcess server = deployment.server();
      load.createTables();
      load.start();
      for (int i = 1; i <= kills; i++) {
        load.await((double) i / (kills + 1));
        server.kill();
        server = deployment.server();
      }
      load.join();
      server.kill();
      deployment.server();

      check(deployment, load);
    }
  }

  @Test
  void killedIngestorsAndKilledCyclesLoseAndDoubleNothing() throws Exception {
    killIngestorsAndCycles(3, 30);
  }

  @Test
  @Tag("long")
  void manyKilledIngestorsAndCyclesLoseAndDoubleNothing() throws Exception {
    long leftovers = killIngestorsAndCycles(40, 1_000);

    assertThat(leftovers).as("files of cycles that were killed before their commit").isPositive();
  }

  /// Cycles are killed after a random number of changes to the warehouse's files: between any two
  /// of the steps from the first delta file to the commit.
  ///
  /// @return how many files they left behind
  private long killIngestorsAndCycles(int kills, int batches) throws Exception {
    SplittableRandom random = new SplittableRandom();
    try (Deployment deployment = new Deployment(folder);
        Load load = new Load(deployment.uri(), 3, batches, Load.PATIENT)) {
      JavaProcess ingestor = deployment.ingestor();
      load.createTables();
      load.start();
      for (int i = 1; i <= kills; i++) {
        load.await((double) i / (kills + 1));
        Set<String> before = deployment.files();
        boolean once = i % 4 != 0;
        JavaProcess maintain = once ? deployment.maintain("--once") : deployment.maintain();
        if (i % 3 == 0) {
          ingestor.kill();
          ingestor = deployment.ingestor();
        }
        // Once all is loaded, the loop may have nothing to do; the other one ends then.
        for (int step = once ? random.nextInt(CYCLE_STEPS) : 0; step >= 0; step--) {
          Set<String> last = before;
          maintain.awaitUntil(
              () -> !deployment.files().equals(last) || (!once && load.isAcknowledged()));
          before = deployment.files();
        }
        maintain.kill();
      }
      load.join();
      JavaProcess last = deployment.maintain("--once");
      assertThat(last.awaitEnd()).as(() -> last.lines().toString()).isZero();

      deployment.maintain();
      check(deployment, load);
      return deployment.leftovers(Load.KEYED) + deployment.leftovers(Load.APPENDED);
    }
  }

  @Test
  void sigtermUnderLoadAnswersWhatWasTakenAndEndsTheRestAsUnavailable() throws Exception {
    try (Deployment deployment = new Deployment(folder);
        Load load = new Load(deployment.uri(), 3, 60, Load.IMPATIENT)) {
      JavaProcess server = deployment.server();
      load.createTables();
      load.start();
      load.await(0.3);
      long began = System.nanoTime();
      server.terminate();

      assertThat(server.awaitEnd()).as(() -> server.lines().toString()).isZero();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(DRAIN_MAX);
      load.join();
      assertThat(load.producers()).anyMatch(producer -> !producer.isDone());
      for (Producer producer : load.producers()) {
        assertThat(producer.isDone() || isUnavailable(producer.failure()))
            .as("producer ended with %s", producer.failure())
            .isTrue();
      }

      deployment.server();
      load.awaitServer();
      load.start();
      load.join();
      check(deployment, load);
    }
  }

  private static boolean isUnavailable(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof IcewalException known && known.kind() == ErrorKind.UNAVAILABLE;
  }

  private static void check(Deployment deployment, Load load) throws IOException {
    for (Producer producer : load.producers()) {
      assertThat(producer.failure()).isNull();
      assertThat(producer.isDone()).isTrue();
    }
    for (TableIdentifier table : TABLES) {
      assertThat(cat(deployment, table)).as("fresh").isEqualTo(load.expected(table));
    }
    assertThat(icewal(deployment, "flush").code()).isZero();
    for (TableIdentifier table : TABLES) {
      assertThat(cat(deployment, table, "--no-tail")).isEqualTo(load.expected(table));
      assertThat(deployment.plainRows(table)).as("plain").isEqualTo(load.expected(table));
    }
  }

  private static List<String> cat(Deployment deployment, TableIdentifier table, String... options) {
    String[] command = {"cat", table.toString(), "--format", "csv"};
    String[] all = Arrays.copyOf(command, command.length + options.length);
    System.arraycopy(options, 0, all, command.length, options.length);
    TestServer.Result result = icewal(deployment, all);
    assertThat(result.code()).as(result.err()).isZero();
    return result.out().lines().skip(1).sorted().toList();
  }

  private static TestServer.Result icewal(Deployment deployment, String... command) {
    String[] all = Arrays.copyOf(command, command.length + 2);
    all[command.length] = "--server";
    all[command.length + 1] = deployment.uri().toString();
    return TestServer.icewal("", all);
  }
}
