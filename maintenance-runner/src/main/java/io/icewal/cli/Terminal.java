package io.icewal.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/// What a command reads from and writes to. Everything is UTF-8, whatever the platform's default.
///
/// @param in for file name `-`
/// @param out results
/// @param err errors, notes and progress
/// @param interactive whether a person watches `err`, so that a progress bar makes sense
public record Terminal(InputStream in, PrintStream out, PrintStream err, boolean interactive) {
  /// What the process logs to standard error; counts for loggers that are made after it is set.
  static final String LOG_LEVEL = "org.slf4j.simpleLogger.log.io.icewal";

  /// Set by the `icewal` script, which can ask the shell: `true` if standard error is a terminal.
  static final String INTERACTIVE = "icewal.terminal";

  /// As [#INTERACTIVE], of standard input.
  static final String TYPED = "icewal.typed";

  /// The process's own.
  public static Terminal system() {
    return new Terminal(
        System.in,
        stream(FileDescriptor.out),
        stream(FileDescriptor.err),
        Boolean.getBoolean(INTERACTIVE));
  }

  private static PrintStream stream(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }
}
