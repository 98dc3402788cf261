/// Tables and namespaces made and changed from Spark: every table that the catalog creates in
/// format version 3 is icewal's.
///
/// In: Spark's definition of a table, and changes to it. Out: one Iceberg transaction, which for a
/// new table also has its key and its position.
@NullMarked
package io.icewal.spark.ddl;

import org.jspecify.annotations.NullMarked;
