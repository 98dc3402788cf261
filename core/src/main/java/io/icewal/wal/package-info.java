/// The log on object storage: segments, boundaries, staged bytes. `docs/format.md` has the bytes.
///
/// Batches of rows flow in through [WalWriter]; blocks flow out through [LogReader]; what is
/// materialized or parked is dropped by [WalTrimmer], to which the tables' positions are given as
/// values. Nothing here knows a catalog, a table's files or a key.
///
/// Invariants:
/// - An object name, once used, never gets other bytes.
/// - An acknowledged row is in a segment above the newest boundary, in the table, or parked.
/// - The log never holds a batch of one (table, producer, sequence) twice, so readers carry no
///   producer state.
/// - What was seen at a slot counts only if a look at the boundary after it finds the boundary
///   below that slot (the ghosts rule).
///
/// The order of reading: the values ([BlockHeader], [BlockRef], [SegmentFooter]); bytes
/// ([SegmentCodec], `FooterCodec`, `FrameEncoder`, `FrameDecoder`); state (`Sequences`,
/// `LogState`); [LogReader]; [WalWriter]; [WalTrimmer]; [Staging].
@NullMarked
package io.icewal.wal;

import org.jspecify.annotations.NullMarked;
