package io.icewal.cli;

import io.icewal.cli.spark.SparkParts;
import io.icewal.cli.spark.SparkSession;
import io.icewal.cli.sql.SqlStatements;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `icewal spark-sql`.
@Command(
    name = "spark-sql",
    description = {
      "Run Spark's SQL on the warehouse, which is its catalog 'icewal', and print what it answers.",
      "Several statements are parted by ';'; the first that fails ends the run. Without -e and -f"
          + " they are read from standard input, one by one where that is a terminal. It needs no"
          + " icewal server; one may run beside it. Dates and times are those of UTC."
    },
    footerHeading = "%nExample:%n",
    footer =
        "  icewal spark-sql -e \"SELECT customer, sum(amount) FROM shop.orders GROUP BY customer\"")
final class SparkSqlCommand implements Callable<Integer> {
  private static final SqlStatements.Dialect DIALECT = SqlStatements.Dialect.SPARK;

  /// Where the statements stand.
  private static final class Text {
    @Option(names = "-e", paramLabel = "SQL", description = "What to run.")
    private @Nullable String statements;

    @Option(
        names = {"-f", "--file"},
        paramLabel = "FILE",
        description = "Run what stands in this file.")
    private @Nullable String file;
  }

  private final Terminal terminal;

  @Mixin private WarehouseOptions warehouse = new WarehouseOptions();

  @ArgGroup private @Nullable Text text;

  @Mixin private StatementOutput output;

  SparkSqlCommand(Terminal terminal) {
    this.terminal = terminal;
    this.output = new StatementOutput(terminal);
  }

  @Override
  public Integer call() throws IOException {
    SparkParts parts = SparkParts.built();
    warehouse.read(null); // Tells what is wrong with it before Spark starts, and shorter.
    boolean asks = text == null && isTerminal();
    List<String> statements = asks ? List.of() : SqlStatements.of(sql(), DIALECT);
    if (!asks && statements.isEmpty()) {
      throw new IcewalException(ErrorKind.INVALID, "there is no statement to run");
    }
    if (terminal.interactive()) {
      terminal.err().println("icewal: starting Spark …");
    }
    try (SparkSession spark = SparkSession.start(parts, warehouse.asOptionOfSpark())) {
      SparkStatements run = new SparkStatements(spark, output);
      if (asks) {
        converse(spark, run);
      } else {
        run.all(statements);
      }
    }
    return ExitCode.DONE;
  }

  /// Whether a person types the statements.
  private boolean isTerminal() {
    return terminal.in() == System.in && Boolean.getBoolean(Terminal.TYPED);
  }

  private String sql() throws IOException {
    if (text != null && text.statements != null) {
      return text.statements;
    }
    String file = text == null ? null : text.file;
    return InputFiles.text(file == null ? InputFiles.STANDARD_INPUT : file, terminal);
  }

  /// Runs statements as they are typed. One that fails is told of and ends its line, and the next
  /// line may come.
  private void converse(SparkSession spark, SparkStatements run) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8));
    terminal.err().println("icewal: statements end with ';', and 'exit;' ends this");
    StringBuilder typed = new StringBuilder();
    while (true) {
      terminal.err().print(typed.isEmpty() ? "icewal> " : "     -> ");
      String line = in.readLine();
      if (line == null) {
        return;
      }
      typed.append(line).append('\n');
      if (SqlStatements.isComplete(typed.toString(), DIALECT)) {
        if (runTyped(spark, run, SqlStatements.of(typed.toString(), DIALECT))) {
          return;
        }
        typed.setLength(0);
      }
    }
  }

  /// Runs what stands before the first `exit`.
  ///
  /// @return whether no more is to come
  private boolean runTyped(SparkSession spark, SparkStatements run, List<String> statements)
      throws IOException {
    List<String> wanted =
        statements.stream()
            .takeWhile(sql -> !sql.toLowerCase(Locale.ROOT).matches("exit|quit"))
            .toList();
    try {
      run.all(wanted);
    } catch (IcewalException e) {
      if (spark.isOver()) {
        throw e;
      }
      terminal.err().println("icewal: " + e.getMessage());
      return false;
    }
    return wanted.size() < statements.size();
  }
}
