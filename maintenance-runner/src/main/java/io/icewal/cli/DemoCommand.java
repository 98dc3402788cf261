package io.icewal.cli;

import io.icewal.cli.spark.SparkParts;
import io.icewal.cli.spark.SparkSession;
import io.icewal.cli.trino.TrinoParts;
import io.icewal.cli.trino.TrinoServer;
import io.icewal.config.IcewalConfig;
import io.icewal.demo.Demo;
import io.icewal.demo.SparkDemo;
import io.icewal.demo.TrinoDemo;
import io.icewal.flight.IngestModule;
import io.icewal.flight.IngestServer;
import io.icewal.flight.WarehouseModule;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.runner.MaintenanceLoop;
import io.icewal.runner.MaintenanceModule;
import io.icewal.table.IcewalTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `icewal demo`.
@Command(
    name = "demo",
    description = "A guided tour in a temporary folder: takes less than a minute.")
final class DemoCommand implements Callable<Integer> {
  /// Set by the `icewal` script: where the product lies.
  private static final String HOME = "icewal.home";

  private final Terminal terminal;

  @Option(
      names = "--keep",
      description = "Leave the server running at the end, to try things out; Ctrl-C ends it.")
  private boolean keep;

  @Option(
      names = "--trino",
      description = "The tour with a Trino server: Flight in, SQL out. Takes some minutes.")
  private boolean withTrino;

  @Option(
      names = "--spark",
      description = "The tour with Spark: Flight in, SQL out. Takes some minutes.")
  private boolean withSpark;

  @Option(
      names = "--samples",
      paramLabel = "DIR",
      description = "Folder of the sample files (default: samples/ of the product).")
  private @Nullable Path samples;

  DemoCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (withTrino && withSpark) {
      throw new IcewalException(ErrorKind.INVALID, "--trino or --spark: one of them");
    }
    Path sampleFolder =
        samples != null ? samples : Path.of(System.getProperty(HOME, "")).resolve("samples");
    if (!Files.isReadable(sampleFolder.resolve("packages-base.ndjson.gz"))) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "no sample files in " + sampleFolder.toAbsolutePath() + "; say where with --samples");
    }
    System.setProperty(Terminal.LOG_LEVEL, "warn"); // The tour tells what happens.
    Path folder = Files.createTempDirectory("icewal-demo-").toRealPath();
    Path data = folder.resolve("data");
    IcewalConfig config = IcewalConfig.embedded(data).withPort(0);
    ServiceProcess process =
        new ServiceProcess(
            new WarehouseModule(config), new IngestModule(), new MaintenanceModule());
    boolean toTheEnd;
    try (process) {
      process.addLast(() -> delete(folder));
      process.handleSignals();
      toTheEnd = takeTour(process, folder, sampleFolder);
    }
    // A signal's thread may still be closing; and what just started may have made its folder again.
    process.awaitEnd();
    if (Files.exists(folder)) {
      delete(folder);
    }
    return toTheEnd ? ExitCode.DONE : process.signalExitCode();
  }

  /// A signal ends what the tour is shown with, and by that the tour.
  ///
  /// @return whether it came to its end
  private boolean takeTour(ServiceProcess process, Path folder, Path sampleFolder)
      throws IOException, InterruptedException {
    try {
      MaintenanceLoop loop = process.add(process.get(MaintenanceLoop.class));
      IngestServer server = process.add(process.get(IngestServer.class));
      server.start();
      loop.start();
      if (withSpark) {
        showSpark(folder, sampleFolder, server, process);
      } else if (withTrino) {
        showTrino(folder, sampleFolder, server, process);
      } else {
        show(folder, sampleFolder, server, process);
      }
      return keep || !process.signalled();
    } catch (IOException | RuntimeException e) {
      if (!process.signalled()) {
        throw e;
      }
      return false;
    }
  }

  private void show(Path folder, Path sampleFolder, IngestServer server, ServiceProcess process)
      throws IOException, InterruptedException {
    Demo demo = demo(folder, sampleFolder, server, process.get(IcewalTables.class));
    demo.run();
    if (keep) {
      Path data = folder.resolve("data");
      demo.tellHowToGoOn(data.resolve("catalog.db"), data.resolve("warehouse"));
      process.awaitEnd();
    } else {
      demo.tellWhatIsNext();
    }
  }

  private void showTrino(
      Path folder, Path sampleFolder, IngestServer server, ServiceProcess process)
      throws InterruptedException {
    String data = folder.resolve("data").toString();
    TrinoServer trino =
        process.add(
            TrinoServer.start(TrinoParts.built(), folder, 0, Map.entry("icewal.data", data)));
    String flight = server.uri().toString();
    TrinoDemo demo =
        new TrinoDemo(
            sampleFolder,
            arguments ->
                IcewalMain.run(
                    terminal,
                    withServer(arguments, arguments[0].equals("sql") ? trino.uri() : flight)),
            terminal.out());
    demo.tellOfTheStart(flight);
    trino.awaitAnswers();
    demo.run(trino.uri());
    if (keep) {
      demo.tellHowToGoOn(flight, trino.uri());
      process.awaitEnd();
    } else {
      demo.tellWhatIsNext();
    }
  }

  private void showSpark(
      Path folder, Path sampleFolder, IngestServer server, ServiceProcess process)
      throws IOException, InterruptedException {
    Path data = folder.resolve("data");
    String flight = server.uri().toString();
    StatementOutput output = new StatementOutput(terminal, StatementOutput.Format.TABLE);
    AtomicReference<@Nullable SparkStatements> spark = new AtomicReference<>();
    SparkDemo demo =
        new SparkDemo(
            sampleFolder,
            arguments -> IcewalMain.run(terminal, withServer(arguments, flight)),
            statement -> Objects.requireNonNull(spark.get()).shown(statement),
            terminal.out());
    demo.tellOfTheStart(flight);
    SparkSession session =
        process.add(SparkSession.start(SparkParts.built(), Map.entry("data", data.toString())));
    spark.set(new SparkStatements(session, output));
    demo.run();
    if (keep) {
      demo.tellHowToGoOn(flight, data);
      process.awaitEnd();
    } else {
      demo.tellWhatIsNext();
    }
  }

  private Demo demo(Path folder, Path sampleFolder, IngestServer server, IcewalTables tables) {
    String uri = server.uri().toString();
    return new Demo(
        folder,
        sampleFolder,
        server.uri(),
        arguments -> IcewalMain.run(terminal, withServer(arguments, uri)),
        () -> tables.load(TableIdentifier.of("demo", "packages")),
        terminal.out());
  }

  private static String[] withServer(String[] arguments, String uri) {
    return Stream.concat(Arrays.stream(arguments), Stream.of("--server", uri))
        .toArray(String[]::new);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
