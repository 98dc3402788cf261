/// The values that every other package speaks in: positions, kinds of blocks, producers, verdicts,
/// errors, and the one Arrow form in which rows travel from a client to a data file.
///
/// Nothing here does I/O. Everything here is immutable, except [RowBatch], which owns Arrow
/// buffers.
@NullMarked
package io.icewal.model;

import org.jspecify.annotations.NullMarked;
