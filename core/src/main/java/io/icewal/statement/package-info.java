/// Statements of engines that write: all their rows in one append, or none.
///
/// In: rows that tasks staged as blocks, which nothing sees yet ([StagedRows]). Out: one append for
/// each statement ([StatementPublisher]).
///
/// - An epoch of a stream is a statement whose name outlives its process ([EpochPublisher]).
/// - A statement is published once, whatever is retried: its blocks are named by its id and their
///   number in it.
/// - A statement that has read before it writes is published only if nobody has written its keys
///   meanwhile ([StatementKeys]).
@NullMarked
package io.icewal.statement;

import org.jspecify.annotations.NullMarked;
