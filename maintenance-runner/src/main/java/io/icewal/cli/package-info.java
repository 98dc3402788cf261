/// The `icewal` command line: one class per command, wired by picocli.
///
/// Client commands speak Flight to a server and need nothing else; the others open the catalog and
/// the log themselves. Every command returns an [ExitCode]; errors become one line on standard
/// error.
@NullMarked
package io.icewal.cli;

import org.jspecify.annotations.NullMarked;
