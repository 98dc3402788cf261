/// The guided tour of `icewal demo`: the real pieces over Flight, told step by step.
@NullMarked
package io.icewal.demo;

import org.jspecify.annotations.NullMarked;
