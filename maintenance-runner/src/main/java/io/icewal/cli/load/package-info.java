/// Loading files through Flight: batches of lines out of a file, rows into a put stream, answers
/// back to the lines that they are about.
@NullMarked
package io.icewal.cli.load;

import org.jspecify.annotations.NullMarked;
