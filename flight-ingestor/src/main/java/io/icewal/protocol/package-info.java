/// What travels between an icewal server and its clients: the JSON of descriptors, tickets,
/// actions, answers and errors (written down in `docs/flight.md`), the text form of a table's
/// columns, and the messages of a put stream.
///
/// Nothing here knows the server or a client; both are built on it. Values are immutable, except
/// [FlightFrame], which owns an Arrow buffer.
@NullMarked
package io.icewal.protocol;

import org.jspecify.annotations.NullMarked;
