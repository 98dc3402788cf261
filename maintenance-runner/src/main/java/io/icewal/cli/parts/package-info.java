/// What the build made for the processes that commands start beside this one.
@NullMarked
package io.icewal.cli.parts;

import org.jspecify.annotations.NullMarked;
