/// Fresh reads: the table's snapshot as trino-iceberg reads it, less the rows that the tail hides,
/// plus the rows that the tail adds.
///
/// In: trino-iceberg's handles, splits and page sources. Out: the same, wrapped.
///
/// 1. A table is named for the first time in a transaction: one cut is made and pinned ([Pins]).
///    The table's handle is marked, so that handles of older snapshots are never taken for it.
/// 2. Splits ([FreshSplitSource]): those of files carry the tail's keys that their file may hold,
///    and there are splits of the tail's own rows.
/// 3. Pages: a worker finds the rows of the keys and leaves them out ([HidingPageSource]); rows of
///    the tail go from Arrow into blocks ([TailPageSource]).
/// 4. A statement that changes rows without a key goes on in a later version of the table, which
///    has in its files what the tail had ([InFiles]).
///
/// - What is applied inside the connector (partition predicates, limits, counts) is applied to the
///   rows of the tail too, or not at all.
@NullMarked
package io.icewal.trino.read;

import org.jspecify.annotations.NullMarked;
