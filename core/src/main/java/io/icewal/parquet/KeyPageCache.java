package io.icewal.parquet;

/// Pages of keys that were read before.
public final class KeyPageCache {}
