package io.icewal.cli;

import picocli.CommandLine.Command;

/// Commands on the log itself.
@Command(
    name = "log",
    description = "Mend a log that was damaged from outside.",
    subcommands = {LogAcceptLossCommand.class})
final class LogCommand {}
