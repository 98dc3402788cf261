/// Spark with icewal's catalog, as a process beside this one that runs SQL.
///
/// In: what the build made of it (a class path, [io.icewal.cli.spark.SparkParts]), a warehouse, and
/// statements. Out: rows as text, or errors of icewal's kinds. The process ends with this one,
/// however that ends.
@NullMarked
package io.icewal.cli.spark;

import org.jspecify.annotations.NullMarked;
