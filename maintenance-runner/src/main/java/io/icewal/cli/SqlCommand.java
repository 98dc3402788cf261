package io.icewal.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.cli.output.CsvPrinter;
import io.icewal.cli.output.JsonArrayPrinter;
import io.icewal.cli.output.NdjsonPrinter;
import io.icewal.cli.output.ResultRows;
import io.icewal.cli.output.TablePrinter;
import io.icewal.cli.output.TextPrinter;
import io.icewal.cli.sql.SqlAddress;
import io.icewal.cli.sql.SqlRun;
import io.icewal.cli.sql.SqlStatements;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
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
  /// How rows are printed.
  enum Format {
    TABLE,
    NDJSON,
    CSV,
    JSON
  }

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

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table (default), csv, json (an array of objects), or ndjson (one a line).")
  private Format format = Format.TABLE;

  SqlCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    List<String> statements = SqlStatements.of(sql());
    if (statements.isEmpty()) {
      throw new IcewalException(ErrorKind.INVALID, "there is no statement to run");
    }
    try (SqlRun run = SqlRun.open(server, user)) {
      run.run(statements, new Printed());
    }
    return ExitCode.DONE;
  }

  private String sql() throws IOException {
    String file = text.file;
    String statement = String.valueOf(text.statement);
    if (file == null && !statement.equals(InputFiles.STANDARD_INPUT)) {
      return statement;
    }
    try (InputStream in = InputFiles.open(file == null ? statement : file, terminal)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private TextPrinter printer() throws IOException {
    return switch (format) {
      case TABLE -> new TablePrinter(terminal.out());
      case NDJSON -> new NdjsonPrinter(terminal.out());
      case CSV -> new CsvPrinter(terminal.out());
      case JSON -> new JsonArrayPrinter(terminal.out());
    };
  }

  /// Rows go to standard output; so does what else was done, where the format has a place for it.
  private final class Printed implements SqlRun.Results {
    @Override
    public void rows(ResultSet result) throws SQLException, IOException {
      ResultRows rows = new ResultRows(result);
      if (format == Format.JSON || format == Format.NDJSON) {
        rows.requireDistinctNames();
      }
      try (TextPrinter printer = printer()) {
        rows.print(printer, terminal.out()::checkError);
      }
    }

    @Override
    public void done(String kind, @Nullable Long count) {
      String counted = count == null ? "" : ": " + count + (count == 1 ? " row" : " rows");
      switch (format) {
        case TABLE -> terminal.out().println(kind + counted);
        case JSON -> {
          ObjectNode done = JsonNodeFactory.instance.objectNode().put("statement", kind);
          JsonOut.print(terminal, done.put("rows", count));
        }
        case NDJSON, CSV -> terminal.err().println("icewal: " + kind + counted);
      }
    }

    @Override
    public void warning(String message) {
      terminal.err().println("icewal: warning: " + message);
    }
  }
}
