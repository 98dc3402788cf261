/// What query engines have in common: the log of a warehouse in one of their processes.
///
/// In: a store, and what core takes from outside. Out: readers, caches and the publisher of
/// statements, which belong together ([EngineLog]).
@NullMarked
package io.icewal.engine;

import org.jspecify.annotations.NullMarked;
