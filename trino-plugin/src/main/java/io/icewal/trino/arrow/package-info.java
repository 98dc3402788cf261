/// Columns from Arrow's canonical form into Trino's blocks, and back. Pure.
@NullMarked
package io.icewal.trino.arrow;

import org.jspecify.annotations.NullMarked;
