/// SQL conditions over the columns of a table: parsed once, bound to field ids, evaluated column by
/// column with three-valued logic, and turned into an Iceberg expression that prunes files.
///
/// Nothing here does I/O. Conditions are immutable.
@NullMarked
package io.icewal.expression;

import org.jspecify.annotations.NullMarked;
