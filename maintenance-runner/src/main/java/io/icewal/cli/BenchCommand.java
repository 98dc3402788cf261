package io.icewal.cli;

import picocli.CommandLine.Command;

/// Measurements.
@Command(
    name = "bench",
    description = {
      "Measure this machine: rows per CPU second, in a temporary folder.",
      "Run it on an otherwise idle machine; other work makes CPU seconds longer, too.",
      "(The icewal script adds 'bench simulate': seeds of the simulator, 'bench trino': fresh reads"
          + " beside stock Iceberg, and 'bench spark': reads and writes beside it.)"
    },
    subcommands = {BenchIngestCommand.class, BenchMaterializeCommand.class})
final class BenchCommand {}
