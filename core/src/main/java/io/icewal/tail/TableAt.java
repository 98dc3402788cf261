package io.icewal.tail;

import io.icewal.model.Position;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A table as it was just loaded, from one version of its metadata.
///
/// @param table whatever the caller calls a table
/// @param tableId its Iceberg UUID
/// @param position where its materialized part ends; null if it has no tail: it is not icewal's, or
///   was replaced
public record TableAt<T>(T table, UUID tableId, @Nullable Position position) {}
