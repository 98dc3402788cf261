/// The Trino server of the `icewal` command, in a JVM whose class path is Trino's own.
///
/// In: the folder that the command has made (`etc/`, `plugin/`), and standard input, whose end says
/// that the command is gone. Out: a server. Nothing of icewal is on its class path but this: the
/// connector comes from the plugin folder, with a class loader of its own.
@NullMarked
package io.icewal.trino.server;

import org.jspecify.annotations.NullMarked;
