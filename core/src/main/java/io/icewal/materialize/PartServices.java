package io.icewal.materialize;

import io.icewal.parquet.KeyPageCache;
import io.icewal.table.ManifestCache;
import org.apache.arrow.memory.BufferAllocator;

/// What parts of cycles work with in one process.
///
/// @param config bounds of a cycle, and of each part of one
/// @param allocator for rows
/// @param manifests entries of manifests that were read lately
/// @param keyPages keys of data files that were read lately
public record PartServices(
    MaterializeConfig config,
    BufferAllocator allocator,
    ManifestCache manifests,
    KeyPageCache keyPages) {}
