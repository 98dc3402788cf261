/// SQL for a Trino server, through its JDBC driver; and what is the same for other engines.
///
/// In: text of one or more statements. Out: each one's result, printed; or an error of one of
/// icewal's kinds that names Trino's code.
@NullMarked
package io.icewal.cli.sql;

import org.jspecify.annotations.NullMarked;
