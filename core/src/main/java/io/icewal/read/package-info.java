/// Fresh reads: a table's rows as of now, in the snapshot and in the log, as one.
///
/// In: a table, its tail ([io.icewal.tail.Tail]), a condition and the wanted columns. Out:
/// canonical Arrow rows. One [FreshScan] is one cut: it sees one version of the table and the tail
/// that belongs to it, whatever is committed, materialized or trimmed meanwhile.
///
/// - A row of the snapshot counts if no delete of the table hides it and the tail has no row of its
///   key; then the rows of the tail that are the newest of their key are added.
/// - The condition is applied after that merge, never before: a newer row hides an older one
///   whether or not it fulfils the condition itself.
/// - Memory is bounded by a batch, the positions deleted in one file, and the tail's keys.
@NullMarked
package io.icewal.read;

import org.jspecify.annotations.NullMarked;
