/// Rows on their way to a person or a script: a table, NDJSON, CSV, or an Arrow stream.
///
/// Arrow batches of one schema, or the rows of a JDBC result, flow in; text or bytes flow out. What
/// NDJSON prints, `load` reads.
@NullMarked
package io.icewal.cli.output;

import org.jspecify.annotations.NullMarked;
