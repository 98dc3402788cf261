/// Measurements of the real pieces, for comparison over time and between machines: CPU seconds of
/// this process, after warming up, over rows in random key order.
@NullMarked
package io.icewal.bench;

import org.jspecify.annotations.NullMarked;
