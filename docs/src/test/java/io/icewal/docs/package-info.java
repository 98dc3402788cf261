/// What the documents say, held against what is built: links, names, tables of options, commands.
@NullMarked
package io.icewal.docs;

import org.jspecify.annotations.NullMarked;
