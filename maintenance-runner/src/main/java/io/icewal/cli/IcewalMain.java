package io.icewal.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/// The command line's root.
@Command(
    name = "icewal",
    description = "An Apache Iceberg storage engine for data that arrives all the time.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all done",
      "1:done in part: some rows were rejected, or not all was materialized",
      "2:wrong usage, or a request that cannot work: change it",
      "3:the server, the store or the catalog cannot take it now: try again later",
      "4:the outcome is not known: look, or run it again with the same --producer",
      "5:stored bytes are damaged or missing: see docs/operating.md",
      "6:a fault of icewal's own, or in 'sql' of Trino's and in 'spark-sql' of Spark's",
    },
    subcommands = {
      ServerCommand.class,
      IngestorCommand.class,
      MaintainCommand.class,
      TableCommand.class,
      LoadCommand.class,
      CatCommand.class,
      StatusCommand.class,
      FlushCommand.class,
      TrinoCommand.class,
      SqlCommand.class,
      SparkSqlCommand.class,
      LogCommand.class,
      BenchCommand.class,
      DemoCommand.class,
    })
public final class IcewalMain {
  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show stack traces of errors.")
  private boolean debug;

  private IcewalMain() {}

  public static void main(String[] args) {
    System.exit(run(Terminal.system(), args));
  }

  /// Runs one command.
  ///
  /// @return its [ExitCode]
  public static int run(Terminal terminal, String... args) {
    try {
      return commandLine(terminal).execute(args);
    } catch (Error e) {
      // The JVM's own code for it is 1, which says that some rows were rejected.
      terminal.err().println("icewal: unexpected " + e);
      return ExitCode.INTERNAL;
    }
  }

  static CommandLine commandLine(Terminal terminal) {
    IcewalMain main = new IcewalMain();
    ErrorPrinter errors = new ErrorPrinter(terminal, () -> main.debug);
    CommandLine line = new CommandLine(main, new CommandFactory(terminal));
    line.setOut(new java.io.PrintWriter(terminal.out(), true));
    line.setErr(new java.io.PrintWriter(terminal.err(), true));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler(errors);
    line.setParameterExceptionHandler(errors);
    return line;
  }
}
