package io.icewal.table;

import io.icewal.merge.KeyVector;

/// Keys that more than one row has.
///
/// @param keys how many keys
/// @param surplus how many rows are too many
/// @param examples the first of these keys, sorted
/// @param counts how many rows have each of the examples
record KeyDuplicates(long keys, long surplus, KeyVector examples, long[] counts) {}
