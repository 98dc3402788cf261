/// From the log into the table: one bounded cycle of one table at a time.
///
/// A tail flows in; delta files, deletion vectors and one commit that moves the position flow out.
///
/// A cycle is planned and committed here ([Materializer]). Its rows are worked on in parts, in this
/// process or in others ([PartExecutor]): sorted, looked up in the table's files, written.
///
/// Invariants: a cycle takes whole segments, in order, from the table's position; its result does
/// not depend on where earlier cycles ended; what it keeps in memory is bounded, whatever the tail
/// holds.
@NullMarked
package io.icewal.materialize;

import org.jspecify.annotations.NullMarked;
