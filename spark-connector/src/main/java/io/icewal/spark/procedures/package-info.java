/// What `CALL` runs: icewal's own procedures beside Iceberg's.
///
/// In: the arguments of a call. Out: what was done, as rows.
///
/// - Iceberg's procedures work on the snapshot: the log stays as it is, and applies on top of what
///   they leave.
/// - Those of them that would put rows past the key into a table that has one, or make two tables
///   of one, are refused ([TableGuards]).
@NullMarked
package io.icewal.spark.procedures;

import org.jspecify.annotations.NullMarked;
