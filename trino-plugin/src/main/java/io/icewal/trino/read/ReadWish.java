package io.icewal.trino.read;

import io.icewal.model.Position;
import org.jspecify.annotations.Nullable;

/// How new the rows of a read must be.
///
/// @param fresh whether the tail is read
/// @param atLeast everything up to this position must be in; null for whatever is there
public record ReadWish(boolean fresh, @Nullable Position atLeast) {}
