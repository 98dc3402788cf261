package io.icewal.cli;

import picocli.CommandLine.Command;

/// Commands on whole tables.
@Command(
    name = "table",
    description = "Create, list, show and drop tables.",
    subcommands = {
      TableCreateCommand.class,
      TableListCommand.class,
      TableShowCommand.class,
      TableDropCommand.class,
    })
final class TableCommand {}
