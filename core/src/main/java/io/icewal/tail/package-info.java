/// The tail of a table: what its log holds after the position up to which it is materialized.
///
/// In: a log ([io.icewal.wal.LogReader]) and a table's position, given by the caller. Out: the
/// table's blocks in order ([Tail]) and, for keyed tables, the newest row of each key
/// ([TailIndex]). Materializers and fresh scans read through the same few steps:
///
/// 1. Note the newest boundary b ([TailReader#begin]).
/// 2. Load the table now: position p.
/// 3. Take the table's parked blocks after p that b's summary names, then its blocks in the
///    segments after max(p, b) up to the first absent number ([Cut#read]).
/// 4. Look at the boundary again: beyond max(p, b) means that some slot, seen full or seen empty,
///    may have been trimmed before it was looked at. Then nothing of it counts: start over.
///
/// [TailReader#read] does all four, again and again within a bound. A position of another root,
/// generation, log or table is a loud error, never "nothing to read".
@NullMarked
package io.icewal.tail;

import org.jspecify.annotations.NullMarked;
