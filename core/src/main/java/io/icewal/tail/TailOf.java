package io.icewal.tail;

import org.jspecify.annotations.Nullable;

/// One cut through a table: a version of its metadata and the tail that belongs to it.
///
/// @param table the table as it was loaded for this cut
/// @param tail its tail; null if the table has none ([TableAt#position] was null)
public record TailOf<T>(TableAt<T> table, @Nullable Tail tail) {}
