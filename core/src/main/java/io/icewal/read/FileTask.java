package io.icewal.read;

import org.apache.iceberg.FileScanTask;

/// One data file of the snapshot.
///
/// @param scan the file, its deletes and its residual filter, as Iceberg planned them
/// @param slice the tail's keys that the file may hold: rows of these keys are hidden
public record FileTask(FileScanTask scan, KeySlice slice) {}
