/// Keys and the newest row per key. No I/O, no clock, no Arrow buffers kept.
///
/// Arrow key columns flow in; order-preserving keys ([KeyVector]) and the surviving rows of a
/// stretch of the log ([Deduplicator]) flow out.
///
/// Invariants: two keys are equal if and only if their encodings are; the encoding's unsigned byte
/// order is the one order of keys everywhere (data files, tails, key slices); the encoding of a
/// value does not change when its column is promoted.
@NullMarked
package io.icewal.merge;

import org.jspecify.annotations.NullMarked;
