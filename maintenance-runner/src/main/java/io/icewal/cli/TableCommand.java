package io.icewal.cli;

import picocli.CommandLine.Command;

/// Commands on whole tables.
@Command(
    name = "table",
    description = "Create, adopt, list, show and drop tables.",
    subcommands = {
      TableCreateCommand.class,
      TableAdoptCommand.class,
      TableListCommand.class,
      TableShowCommand.class,
      TableDropCommand.class,
    })
final class TableCommand {}
