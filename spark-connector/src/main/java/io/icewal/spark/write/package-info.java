/// Writes into tables of icewal: they go through the log.
///
/// In: Spark's rows. Out: one append to the log for each statement.
///
/// 1. Tasks stage rows as blocks that nothing sees yet ([RowStager]) and tell of them in messages.
/// 2. The driver publishes all blocks of a statement by one append ([io.icewal.statement]): all of
///    them or none, once.
///
/// - Nothing is ever taken back: what was staged and not published is cleaned up in time.
@NullMarked
package io.icewal.spark.write;

import org.jspecify.annotations.NullMarked;
