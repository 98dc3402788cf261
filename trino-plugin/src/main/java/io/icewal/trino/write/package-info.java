/// Writes into tables of icewal: they go through the log.
///
/// In: pages and trino-iceberg's handles. Out: one append to the log for each statement.
///
/// 1. Tasks stage rows as blocks that nothing sees yet ([BlockStager]) and tell of them in
///    fragments.
/// 2. The coordinator publishes all blocks of a statement by one append, under the query's id: all
///    of them or none, once ([Publisher]).
/// 3. A statement that has read before it writes is published only if nobody has written its keys
///    meanwhile ([io.icewal.statement]); else it fails, and may be repeated.
@NullMarked
package io.icewal.trino.write;

import org.jspecify.annotations.NullMarked;
