/// Lines of JSON become Arrow columns.
///
/// [NdjsonSource] cuts a stream into batches of lines, always at the same places for the same
/// bytes; [JsonRows] reads each line's tokens straight into the columns of the table's schema,
/// without a tree. A value that does not fit its column becomes a verdict on its row, and the row
/// is left out; the rows after it take its place in the columns.
@NullMarked
package io.icewal.cli.json;

import org.jspecify.annotations.NullMarked;
