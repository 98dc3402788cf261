/// Fresh reads: the table's snapshot as iceberg-spark reads it, less the rows that the tail hides,
/// plus the rows that the tail adds.
///
/// In: tables of the Iceberg catalog. Out: Spark's tables, scans and readers.
///
/// 1. A table is loaded ([FreshTable]). Its first scan makes one cut and pins it ([Pin]); all
///    further scans of the same object see that cut.
/// 2. Files ([HidingTable]): what the tail hides of a file is told to iceberg-spark as a deletion
///    vector that no file holds ([VirtualDeletes]): its readers need to know nothing.
/// 3. The rows of the tail are partitions of their own ([TailPartition]), read as columns or as
///    rows, whichever iceberg-spark chose for the files.
///
/// Streams ([LogStream]) read one cut and then the log from its end on, by position.
///
/// - Nothing that iceberg-spark would decide by files alone is pushed down while there is a tail:
///   counts, minima, limits; and all filters are applied by Spark.
@NullMarked
package io.icewal.spark.read;

import org.jspecify.annotations.NullMarked;
