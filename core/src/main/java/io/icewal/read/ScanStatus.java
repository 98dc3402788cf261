package io.icewal.read;

import io.icewal.model.Position;
import java.time.Instant;
import java.util.Optional;

/// What a table holds now, in numbers.
///
/// @param rows live rows, exact: those in the snapshot that count, and those in the tail
/// @param position up to where it is materialized; empty if it has no position
/// @param end up to where its log was read
/// @param tailRows rows in the tail's blocks, deletes and overwritten ones too
/// @param tailBytes bytes of the tail's blocks in the store
/// @param oldest when the oldest block of the tail was ingested
/// @param parkedBlocks blocks that were moved aside
/// @param dataFiles data files of the snapshot
/// @param dataBytes their bytes
/// @param deletionVectors data files that have one
/// @param snapshotId the snapshot; -1 if there is none
public record ScanStatus(
    long rows,
    Optional<Position> position,
    Optional<Position> end,
    long tailRows,
    long tailBytes,
    Optional<Instant> oldest,
    int parkedBlocks,
    long dataFiles,
    long dataBytes,
    long deletionVectors,
    long snapshotId) {}
