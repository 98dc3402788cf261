package io.icewal.table;

/// Which guards a commit uses. Products use [#ALL]; tests switch one off at a time to show what it
/// is for.
///
/// @param position compare the position with the expected one inside each commit attempt
/// @param exactBase commit a change that removes files only on the snapshot it was made for
/// @param fromSnapshot validate from the snapshot in which old rows were found
/// @param dataFilesExist refuse deletion vectors for files that are gone
/// @param deletedFiles refuse to remove files that are gone
/// @param noConflictingData refuse if another engine added rows that may have the same keys
/// @param removeReplaced remove the deletion vectors that new ones replace
/// @param snapshotAlways commit a snapshot, an empty one if need be, with each position
/// @param lookAfterUnknown look for the own snapshot after an unknown outcome
record Guards(
    boolean position,
    boolean exactBase,
    boolean fromSnapshot,
    boolean dataFilesExist,
    boolean deletedFiles,
    boolean noConflictingData,
    boolean removeReplaced,
    boolean snapshotAlways,
    boolean lookAfterUnknown) {
  static final Guards ALL = new Guards(true, true, true, true, true, true, true, true, true);
}
