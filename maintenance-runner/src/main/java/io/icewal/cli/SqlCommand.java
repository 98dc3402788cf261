package io.icewal.cli;

import io.icewal.cli.output.ResultRows;
import io.icewal.cli.sql.SqlAddress;
import io.icewal.cli.sql.SqlRun;
import io.icewal.cli.sql.SqlStatements;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `icewal sql`.
@Command(
    name = "sql",
    description = {
      "Run SQL in a Trino server, such as that of 'icewal trino', and print what it answers.",
      "Several statements are parted by ';'; the first that fails ends the run. Dates and times are"
          + " those of UTC."
    },
    footerHeading = "%nExample:%n",
    footer = "  icewal sql \"SELECT customer, sum(amount) FROM shop.orders GROUP BY customer\"")
final class SqlCommand implements Callable<Integer> {
  /// Where the statements stand.
  private static final class Text {
    @Parameters(paramLabel = "STATEMENT", description = "What to run; - reads standard input.")
    private @Nullable String statement;

    @Option(
        names = {"-f", "--file"},
        paramLabel = "FILE",
        description = "Run what stands in this file.")
    private @Nullable String file;
  }

  private final Terminal terminal;

  @ArgGroup(multiplicity = "1")
  private Text text = new Text();

  @Option(
      names = "--server",
      paramLabel = "URL",
      defaultValue =
          "${env:ICEWAL_TRINO:-jdbc:trino://127.0.0.1:" + TrinoCommand.DEFAULT_PORT + "/icewal}",
      converter = SqlAddress.class,
      description =
          "A JDBC URL, or http://HOST:PORT (default: $ICEWAL_TRINO, else"
              + " jdbc:trino://127.0.0.1:8816/icewal).")
  private String server = "";

  @Option(
      names = "--user",
      paramLabel = "NAME",
      defaultValue = "${sys:user.name:-icewal}",
      description = "Who Trino is told you are (default: the name of the process's user).")
  private String user = "icewal";

  @Mixin private StatementOutput output;

  SqlCommand(Terminal terminal) {
    this.terminal = terminal;
    this.output = new StatementOutput(terminal);
  }

  @Override
  public Integer call() throws IOException {
    List<String> statements = SqlStatements.of(sql(), SqlStatements.Dialect.TRINO);
    if (statements.isEmpty()) {
      throw new IcewalException(ErrorKind.INVALID, "there is no statement to run");
    }
    try (SqlRun run = SqlRun.open(server, user)) {
      run.run(statements, new Printed(output));
    }
    return ExitCode.DONE;
  }

  private String sql() throws IOException {
    String statement = String.valueOf(text.statement);
    if (text.file == null && !statement.equals(InputFiles.STANDARD_INPUT)) {
      return statement;
    }
    return InputFiles.text(text.file == null ? statement : text.file, terminal);
  }

  private static final class Printed implements SqlRun.Results {
    private final StatementOutput output;

    Printed(StatementOutput output) {
      this.output = output;
    }

    @Override
    public void rows(ResultSet result) throws SQLException, IOException {
      output.rows(new ResultRows(result));
    }

    @Override
    public void done(String kind, @Nullable Long count) {
      output.done(kind, count);
    }

    @Override
    public void warning(String message) {
      output.warning(message);
    }
  }
}
