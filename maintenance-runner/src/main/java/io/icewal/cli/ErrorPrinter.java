package io.icewal.cli;

import io.icewal.model.IcewalException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// Turns what a command throws into one line on standard error and an exit code.
final class ErrorPrinter implements IExecutionExceptionHandler, IParameterExceptionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorPrinter.class);

  /// How gRPC begins what it says of an answer of plain HTTP.
  private static final Pattern NO_GRPC = Pattern.compile("^[A-Z_]+: (HTTP status code \\d+)\\b");

  private static final String UNREACHABLE =
      "; start one with 'icewal %s', or say where it is with --server or %s";

  private final Terminal terminal;
  private final BooleanSupplier debug;

  ErrorPrinter(Terminal terminal, BooleanSupplier debug) {
    this.terminal = terminal;
    this.debug = debug;
  }

  @Override
  public int handleParseException(ParameterException error, String[] args) {
    print(usageMessage(error), error);
    String command = error.getCommandLine().getCommandSpec().qualifiedName();
    terminal.err().println("See '" + command + " --help'.");
    return ExitCode.INVALID;
  }

  @Override
  public int handleExecutionException(
      Exception error, CommandLine commandLine, ParseResult parseResult) {
    // Guice wraps what a provider throws.
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof IcewalException icewal) {
        OptionSpec server = commandLine.getCommandSpec().findOption("--server");
        print(server == null ? icewal.getMessage() : ofServer(icewal, server, commandLine), error);
        return ExitCode.of(icewal.kind());
      }
    }
    if (error instanceof IOException || error instanceof UncheckedIOException) {
      print(message(error), error);
      return ExitCode.INVALID;
    }
    print("unexpected " + error + " (--debug shows where)", error);
    return ExitCode.INTERNAL;
  }

  /// Names what there is where something unknown was written.
  private static @Nullable String usageMessage(ParameterException error) {
    if (!(error instanceof UnmatchedArgumentException unmatched)) {
      return error.getMessage();
    }
    String first = unmatched.getUnmatched().get(0);
    CommandLine command = error.getCommandLine();
    if (unmatched.isUnknownOption()) {
      List<String> near = unmatched.getSuggestions();
      return "there is no option '"
          + first
          + (near.isEmpty() ? "'" : "'; did you mean " + String.join(" or ", near) + "?");
    }
    Set<String> commands = command.getSubcommands().keySet();
    return commands.isEmpty()
        ? "'" + first + "' is one argument too many"
        : "there is no command '" + first + "'; expected one of " + String.join(", ", commands);
  }

  /// Says of a server that is not there, or is not one of ours, where it was looked for.
  private static String ofServer(
      IcewalException error, OptionSpec server, CommandLine commandLine) {
    if (unreachable(error)) {
      return "no server answers at " + server.getValue() + howToReach(commandLine);
    }
    String message = String.valueOf(error.getMessage());
    Matcher http = NO_GRPC.matcher(message);
    return http.find()
        ? "what answers at " + server.getValue() + " does not speak Flight, but " + http.group(1)
        : message;
  }

  private static String howToReach(CommandLine command) {
    return command.getCommandName().equals("sql")
        ? UNREACHABLE.formatted("trino", "ICEWAL_TRINO")
        : UNREACHABLE.formatted("server", "ICEWAL_SERVER");
  }

  private static boolean unreachable(IcewalException error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException || cause instanceof UnknownHostException) {
        return true;
      }
    }
    return false;
  }

  private void print(@Nullable String message, Exception error) {
    String line = String.valueOf(message).strip().replaceAll("\\s*\\R\\s*", " ");
    terminal.err().println("icewal: " + line);
    if (debug.getAsBoolean()) {
      LOG.error("stack trace", error);
    }
  }

  /// What went wrong with a file.
  static String message(Exception error) {
    if (error instanceof NoSuchFileException missing) {
      return "no such file: " + missing.getFile();
    }
    if (error instanceof AccessDeniedException denied) {
      return "no permission for " + denied.getFile();
    }
    return String.valueOf(error.getMessage());
  }
}
