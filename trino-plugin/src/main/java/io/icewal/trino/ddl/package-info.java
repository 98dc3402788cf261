/// Tables made from Trino: every table that the connector creates in format version 3 is icewal's.
///
/// In: Trino's definition of a table. Out: one transaction that makes it, with its key and its
/// position, and for CREATE TABLE AS one append of its rows.
@NullMarked
package io.icewal.trino.ddl;

import org.jspecify.annotations.NullMarked;
