package io.icewal.storage;

import java.time.Instant;

/// What a store knows about an object.
///
/// @param key the full key
/// @param size in bytes
/// @param lastModified by the store's clock, never by a host's
public record ObjectMeta(String key, long size, Instant lastModified) {}
