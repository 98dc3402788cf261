package io.icewal.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.icewal.cli.load.LoadOptions;
import io.icewal.cli.load.LoadProgress;
import io.icewal.cli.load.LoadSummary;
import io.icewal.cli.load.Loader;
import io.icewal.cli.load.RejectFile;
import io.icewal.client.IcewalClient;
import io.icewal.model.ErrorKind;
import io.icewal.model.IcewalException;
import io.icewal.model.Verdict;
import io.icewal.protocol.PutMode;
import io.icewal.protocol.PutOp;
import io.icewal.protocol.TableDescription;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `icewal load`.
@Command(
    name = "load",
    description = {
      "Load NDJSON files (one JSON object a line) into a table.",
      "",
      "Dates and times are ISO 8601 strings, bytes base64, maps objects (or arrays of"
          + " {\"key\": …, \"value\": …}); decimals and large integers may be strings. A field that is"
          + " missing is null, or the column's default. Exit code 1 says that rows were rejected."
    })
final class LoadCommand implements Callable<Integer> {
  /// What a bad row does to its batch.
  enum Mode {
    REJECT,
    PARTIAL
  }

  /// What rows mean.
  enum Op {
    UPSERT,
    DELETE
  }

  private final Terminal terminal;

  @Parameters(index = "0", paramLabel = "NS.T", description = "Name of the table.")
  private String name = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "FILE",
      description = "NDJSON files, gzip'd or not; - is standard input.")
  private List<String> files = List.of();

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "reject",
      description =
          "reject (default): a batch with a bad row is refused whole; partial: its good rows go in.")
  private Mode mode = Mode.REJECT;

  @Option(
      names = "--op",
      paramLabel = "OP",
      defaultValue = "upsert",
      description =
          "upsert (default): each row becomes the live row of its key; delete: each row names a key to"
              + " delete, other columns are ignored.")
  private Op op = Op.UPSERT;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "" + LoadOptions.BATCH_ROWS_DEFAULT,
      description = "Rows a batch (default: ${DEFAULT-VALUE}).")
  private int batch = LoadOptions.BATCH_ROWS_DEFAULT;

  @Option(
      names = "--rejects",
      paramLabel = "FILE",
      description = "Write the rows that did not go in, with their verdicts, as NDJSON.")
  private @Nullable Path rejects;

  @Option(
      names = "--producer",
      paramLabel = "ID",
      description = {
        "Name this load: loading the same file again under the same name doubles nothing, however"
            + " the first run ended, as long as --batch and --op are the same."
      })
  private @Nullable String producer;

  @Option(names = "--json", description = "Print the outcome as a JSON object.")
  private boolean json;

  @Mixin private ClientOptions server = new ClientOptions();

  LoadCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    TableIdentifier table = ClientOptions.table(name);
    LoadOptions options = options(table);
    long bytes = size();
    checkRejects();
    try (BufferAllocator allocator = new RootAllocator();
        IcewalClient client = server.connect(allocator);
        RejectFile reject = rejects == null ? null : new RejectFile(rejects);
        LoadProgress progress =
            new LoadProgress(terminal.err(), terminal.interactive(), "load " + name, bytes)) {
      TableDescription description = client.describe(table);
      Loader loader =
          new Loader(
              client,
              description.schema(),
              options,
              allocator,
              reject,
              summary -> progress.show(summary.read()));
      for (String file : files) {
        loadOne(loader, progress, file);
      }
      return report(loader.summary(), progress);
    }
  }

  private void loadOne(Loader loader, LoadProgress progress, String file) throws IOException {
    LoadSummary summary = loader.summary();
    try (InputStream in = InputFiles.unpacked(progress.counted(InputFiles.raw(file, terminal)))) {
      loader.load(in, file);
    } catch (IcewalException e) {
      throw new IcewalException(
          e.kind(),
          "load of " + file + " stopped after " + summary.stored() + " rows: " + e.getMessage(),
          e);
    } catch (IOException e) {
      String reason = ErrorPrinter.message(e);
      throw new IcewalException(
          ErrorKind.INVALID,
          "load of " + file + " stopped after " + summary.stored() + " rows: " + reason,
          e);
    }
  }

  private LoadOptions options(TableIdentifier table) {
    if (batch < 1 || batch > LoadOptions.BATCH_ROWS_MAX) {
      throw new IcewalException(
          ErrorKind.INVALID,
          "--batch must be 1 to " + LoadOptions.BATCH_ROWS_MAX + " rows, got " + batch);
    }
    if (producer != null && (producer.isEmpty() || producer.length() > 200)) {
      throw new IcewalException(
          ErrorKind.INVALID, "--producer must have 1 to 200 characters, has " + producer.length());
    }
    PutMode putMode = mode == Mode.REJECT ? PutMode.REJECT : PutMode.PARTIAL;
    PutOp putOp = op == Op.UPSERT ? PutOp.UPSERT : PutOp.DELETE;
    return new LoadOptions(table, putMode, putOp, batch, producer);
  }

  /// Looks at every file before the first is loaded; -1 if one has no size.
  private long size() throws IOException {
    long size = 0;
    for (String file : files) {
      if (file.equals(InputFiles.STANDARD_INPUT)) {
        return -1;
      }
      InputFiles.refuseFolder(file);
      size += Files.size(Path.of(file));
    }
    return size;
  }

  /// The file of rejects is written anew: it must not be one that is still to be read.
  private void checkRejects() throws IOException {
    if (rejects == null || !Files.exists(rejects)) {
      return;
    }
    for (String file : files) {
      if (!file.equals(InputFiles.STANDARD_INPUT) && Files.isSameFile(rejects, Path.of(file))) {
        throw new IcewalException(
            ErrorKind.INVALID, "--rejects would overwrite " + file + ", which is to be loaded");
      }
    }
  }

  private int report(LoadSummary summary, LoadProgress progress) {
    progress.close();
    if (json) {
      ObjectNode out = JsonNodeFactory.instance.objectNode();
      out.put("rows_read", summary.read());
      out.put("rows_stored", summary.stored());
      out.put("rows_rejected", summary.refused());
      out.put("position", summary.position() == null ? null : summary.position().toString());
      JsonOut.print(terminal, out);
    } else {
      terminal
          .out()
          .printf(
              Locale.ROOT,
              "%,d of %,d rows stored%s%n",
              summary.stored(),
              summary.read(),
              summary.position() == null ? "" : ", position " + summary.position());
    }
    for (LoadSummary.Sample sample : summary.samples()) {
      Verdict verdict = sample.verdict();
      String column = verdict.column().isEmpty() ? "" : ", column " + verdict.column();
      terminal
          .err()
          .println(sample.file() + ", line " + sample.line() + column + ": " + verdict.message());
    }
    if (!summary.isComplete()) {
      String where = rejects == null ? " (--rejects FILE keeps them)" : ", see " + rejects;
      String rows = summary.refused() == 1 ? "row" : "rows";
      terminal
          .err()
          .printf(Locale.ROOT, "%,d %s did not go in%s%n", summary.refused(), rows, where);
    }
    if (summary.unnamed() > 0) {
      terminal
          .err()
          .printf(
              Locale.ROOT,
              "%,d of them were too many in a batch for the server to name, and are not among the"
                  + " rejects; with a smaller --batch they are%n",
              summary.unnamed());
    }
    return summary.isComplete() ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }
}
