/// The Spark connector: the catalog and the data source `icewal`.
///
/// In: a catalog's options ([io.icewal.spark.services.WarehouseSettings]). Out: Spark's catalog
/// over the warehouse's Iceberg catalog. Everything that is not icewal's is iceberg-spark's own.
///
/// - A table is icewal's if it has a valid position. All others behave as in iceberg-spark.
@NullMarked
package io.icewal.spark;

import org.jspecify.annotations.NullMarked;
