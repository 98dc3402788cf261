/// A Trino server with the connector `icewal`, as a process beside this one.
///
/// In: what the build made of it (class paths, [io.icewal.cli.trino.TrinoParts]) and a warehouse.
/// Out: a folder with `etc/` and `plugin/`, and a server that answers on this machine alone. It
/// ends with this process, however that ends.
@NullMarked
package io.icewal.cli.trino;

import org.jspecify.annotations.NullMarked;
