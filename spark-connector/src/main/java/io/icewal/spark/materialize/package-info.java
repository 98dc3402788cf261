/// Cycles of materialization whose rows are too many for one process: executors work on them.
///
/// In: a cycle as core has planned it. Out: what was written, for the driver to commit.
///
/// - The driver reads a sample of the keys, gets back locations of files and numbers of rows, and
///   makes the only commit, with all guards of any other one.
/// - Executors depend on their arguments alone, and write under names that no other attempt has:
///   Spark may run a task again or twice. Files of attempts that do not count are taken by orphan
///   removal.
@NullMarked
package io.icewal.spark.materialize;

import org.jspecify.annotations.NullMarked;
