/// Rows in and out of Parquet data files, column by column: Arrow vectors become column chunks and
/// pages without a row object in between, and pages become Arrow vectors again.
///
/// In: canonical Arrow rows ([io.icewal.model.ArrowSchemas]) and sorted keys
/// ([io.icewal.merge.KeyVector]). Out: Parquet files that any Iceberg reader opens, their Iceberg
/// metrics, rows of any Parquet file in canonical form, and the row numbers of keys in a file.
///
/// - Columns go by field id, never by name or place; files without ids go through a name mapping.
/// - A file of ours is marked by the footer entry [ParquetColumnWriter#SORTED_BY]: its rows are in
///   key order, its key columns are PLAIN, in small pages that are cut at the same rows, with
///   column and offset index. That makes a row number a rank, and [FileKeys] finds it by random
///   access.
/// - Nothing here knows a table, a snapshot or a log; nothing starts a thread.
@NullMarked
package io.icewal.parquet;

import org.jspecify.annotations.NullMarked;
