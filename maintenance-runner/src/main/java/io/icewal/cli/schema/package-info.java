/// Schemas as people type them: column lists, partition lists, and columns guessed from a sample.
///
/// Text flows in, Iceberg's `Schema` and `PartitionSpec` flow out; nothing here does I/O except
/// reading the sample that it is handed.
@NullMarked
package io.icewal.cli.schema;

import org.jspecify.annotations.NullMarked;
