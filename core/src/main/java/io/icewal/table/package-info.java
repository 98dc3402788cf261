/// Iceberg tables as icewal keeps them: creation, adoption, the position, what files are live,
/// where the rows of some keys are, deletion vectors, and the one commit that moves rows and
/// position together.
///
/// Snapshots and key vectors flow in; one guarded commit flows out.
///
/// Invariants: the position moves only together with a new snapshot on main; one commit adds
/// exactly the rows between its expected and its new position; a data file has at most one deletion
/// vector; no file of a commit whose outcome is not known is deleted.
@NullMarked
package io.icewal.table;

import org.jspecify.annotations.NullMarked;
