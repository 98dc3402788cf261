/// Schemas for people: columns guessed from a sample, and the text form of columns and partitions
/// in which they are printed (and which `TableText` reads).
@NullMarked
package io.icewal.cli.schema;

import org.jspecify.annotations.NullMarked;
